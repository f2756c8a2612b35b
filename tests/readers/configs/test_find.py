"""MODEL is a catalogue name, a file, a folder, standard input or a cached Hub id."""

from __future__ import annotations

from pathlib import Path

import pytest

from peakwise.core.errors import InputError, ReadError, UnknownModel
from peakwise.readers.configs.decode import LARGEST_BYTES
from peakwise.readers.configs.find import find_config


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "my-model"
    folder.mkdir()
    path = folder / "config.json"
    path.write_bytes(b'{"model_type": "llama"}')
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.parametrize("name", ["llama-3.1-8b", "LLAMA-3.1-8B", "Llama-3.1-8B", "meta-llama/Llama-3.1-8B"])
def test_a_catalogue_id_name_or_hub_id_is_found(name: str) -> None:
    source = find_config(name)
    assert (source.id, source.name) == ("llama-3.1-8b", "Llama-3.1-8B")


def test_a_file_is_called_by_its_folder(config: Path) -> None:
    source = find_config(str(config))
    assert (source.data, source.id, source.where) == (b'{"model_type": "llama"}', "my-model", str(config))


def test_a_folder_is_searched_for_its_config(config: Path) -> None:
    assert find_config(str(config.parent)).where == str(config)


def test_a_folder_with_params_json_will_do(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_bytes(b"{}")
    assert find_config(str(tmp_path)).where.endswith("params.json")


def test_a_folder_without_a_config_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="holds no config"):
        find_config(str(tmp_path))


def test_a_path_that_exists_wins_over_a_catalogue_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").write_bytes(b"{}")
    assert find_config("gpt2").data == b"{}"


@pytest.mark.parametrize("text", ["no/such/config.json", "./nothing.json", "/no/such/folder", "~/nothing-here.json"])
def test_a_path_that_does_not_exist_is_an_error(text: str) -> None:
    with pytest.raises(ReadError, match="no such file"):
        find_config(text)


def test_standard_input_is_read_for_a_dash() -> None:
    assert find_config("-", lambda: b"{}").data == b"{}"
    with pytest.raises(InputError):
        find_config("-")


def test_a_cached_hub_id_is_found_by_its_main_revision(cache: Path) -> None:
    repo = cache / "models--org--name"
    for commit in ("aaa", "bbb"):
        (repo / "snapshots" / commit).mkdir(parents=True)
        (repo / "snapshots" / commit / "config.json").write_bytes(commit.encode())
    assert find_config("org/name").data in (b"aaa", b"bbb")
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text("aaa\n")
    source = find_config("org/name")
    assert (source.data, source.id, source.name) == (b"aaa", "org/name", "name")


@pytest.mark.parametrize(("variable", "below"), [("HF_HOME", "hub"), ("XDG_CACHE_HOME", "huggingface/hub")])
def test_the_cache_is_where_the_hub_client_keeps_it(
    variable: str, below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    snapshot = tmp_path / below / "models--org--name" / "snapshots" / "c"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_bytes(b"here")
    assert find_config("org/name").data == b"here"


def test_an_unknown_hub_id_is_answered_with_the_command_that_fetches_its_config() -> None:
    with pytest.raises(UnknownModel) as caught:
        find_config("meta-llama/Llama-9")
    assert caught.value.hint == "hf download meta-llama/Llama-9 config.json"


def test_an_unknown_word_is_answered_with_the_three_nearest_ids() -> None:
    with pytest.raises(UnknownModel, match=r"llama-3\.1-8b, llama-3\.1-70b, llama-3\.1-405b"):
        find_config("lama-3.1-8b")


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "x" * 5000])
def test_a_name_that_can_be_no_path_is_still_a_clear_error(text: str) -> None:
    with pytest.raises((InputError, UnknownModel)) as caught:
        find_config(text)
    assert len(str(caught.value)) < 500


def test_an_endless_file_is_read_no_further_than_a_config_may_be_long() -> None:
    assert len(find_config("/dev/zero").data) == LARGEST_BYTES + 1
