"""The JSON API answers what the command prints, byte for byte; everything else is refused with its reason."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.cli.main import main
from peakwise.cli.web import AT_ONCE
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

DATA = Path(__file__).parents[1] / "data"
GOLDEN = json.loads((DATA / "golden.json").read_text(encoding="utf-8"))["cases"]
NUMBERS = json.loads((DATA / "numbers.json").read_text(encoding="utf-8"))["cases"]
CASES = [case for case in GOLDEN if case["calculator"] in CALCULATORS]
MFU = {"workload": "inference", "params_b": 70, "tokens_per_s": 2000, "peak_tflops": 989, "accelerators": 1}


def _document(document: dict) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['calculator']}: {case['name']}")
def test_every_reference_case_is_answered_as_in_python_byte_for_byte(client: TestClient, case: dict) -> None:
    """Requirement 91."""
    reply = client.post(f"/api/v1/{case['calculator']}", json=case["inputs"])
    try:
        expected, status = calculate(case["calculator"], case["inputs"], locale=None, local=False).to_dict(), 200
    except InputError as error:
        expected, status = error.to_dict(), 422
    assert (reply.status_code, reply.content) == (status, _document(expected))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['calculator']}: {case['name']}")
def test_every_reference_case_has_its_numbers_warnings_or_errors(client: TestClient, case: dict) -> None:
    answer = client.post(f"/api/v1/{case['calculator']}", json=case["inputs"]).json()
    expect = case["expect"]
    if expect["error"] is not None:
        assert expect["error"]["code"] in {error["code"] for error in answer["errors"]}
        return
    assert sorted(warning["code"] for warning in answer["warnings"]) == sorted(expect["warnings"])
    for key, value in expect["results"].items():
        tolerance = expect.get("tolerances", {}).get(key, expect["tolerance"])
        near = isinstance(value, int | float) and not isinstance(value, bool)
        assert answer["results"][key] == (pytest.approx(value, rel=tolerance, abs=1e-12) if near else value), key


def test_the_api_prints_what_the_command_prints(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--workload", "inference", "--params", "70", "--rate", "2000", "--peak", "989", "--devices", "1"]
    assert main(["calc", "mfu", *words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    answered = client.post("/api/v1/mfu", json=MFU).json()
    for document in (printed, answered):
        for given in document["inputs"].values():
            del given["source"]  # the flag on the command line, the key in the API
    assert json.dumps(printed) == json.dumps(answered)


def test_a_query_asks_the_same_by_key(client: TestClient) -> None:
    one = client.get("/api/v1/mfu", params=MFU)
    assert (one.status_code, one.content) == (200, client.post("/api/v1/mfu", json=MFU).content)


def test_the_languages_agree(client: TestClient) -> None:
    """Requirement 33: one scenario, one document, whatever the reader's language."""
    replies = {client.post("/api/v1/mfu", json=MFU, headers={"accept-language": tag}).content for tag in ("es", "it")}
    assert len(replies) == 1


@pytest.mark.parametrize(
    ("inputs", "field", "code"),
    [
        ({**MFU, "params_b": "70"}, "params_b", "E_NUM"),
        ({**MFU, "params_b": None}, "params_b", "E_REQ"),
        ({**MFU, "params_b": True}, "params_b", "E_NUM"),
        ({**MFU, "peak_tflops": 0}, "peak_tflops", "E_ZERO_PEAK"),
        ({**MFU, "accelerators": 1.5}, "accelerators", "E_INT"),
        ({**MFU, "tokens_per_s": -5}, "tokens_per_s", "E_RANGE"),
        ({**MFU, "step_s": 1}, "step_s", "E_CONFLICT"),
        ({**MFU, "workload": "guess"}, "workload", "E_CHOICE"),
        ({**MFU, "prams": 70}, "prams", "E_UNKNOWN"),
        ({**MFU, "params_b": [70]}, "params_b", "E_NUM"),
        ({**MFU, "params_b": {"a": 1}}, "params_b", "E_NUM"),
        ({**MFU, "params_b": 10**400}, "params_b", "E_RANGE"),
    ],
)
def test_a_bad_field_is_a_422_that_names_it(client: TestClient, inputs: dict, field: str, code: str) -> None:
    reply = client.post("/api/v1/mfu", content=json.dumps(inputs), headers={"content-type": "application/json"})
    assert reply.status_code == 422
    assert reply.json()["schema"] == "peakwise.error/1"
    assert (field, code) in {(error["field"], error["code"]) for error in reply.json()["errors"]}


def test_texts_are_numbers_only_where_a_locale_says_how_they_are_written(client: TestClient) -> None:
    typed = {**MFU, "tokens_per_s": "2.000"}
    assert client.post("/api/v1/mfu", json=typed).status_code == 422
    answer = client.post("/api/v1/mfu", json={**typed, "locale": "es"})
    assert answer.json()["results"] == client.post("/api/v1/mfu", json=MFU).json()["results"]
    assert client.post("/api/v1/mfu", json={**typed, "locale": "xx"}).status_code == 422
    assert client.post("/api/v1/mfu", json={**typed, "locale": 5}).status_code == 400


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"params_b": NaN}', "application/json", 400),
        (b'{"params_b": Infinity}', "application/json", 400),
        (b'{"params_b": 1, "params_b": 2}', "application/json", 400),
        (b"5", "application/json", 400),
        (b"[5]", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"lengths": ' + b"[" * 40 + b"1" + b"]" * 40 + b"}", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"{}", "", 415),
        (b'"' + b"x" * 10_000_000 + b'"', "application/json", 413),
        (b"[" + b"{}," * 1000 + b"{}]", "application/json", 422),
        (b"\xff", "text/csv", 400),
        (b"", "text/csv", 422),
        (b"params_b,params_b\n1,2\n", "text/csv", 422),
        (b"params_b\n1,2\n", "text/csv", 422),
        (b'"\n', "text/csv", 422),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_its_reason(
    client: TestClient, content: bytes, kind: str, status: int
) -> None:
    headers = {"content-type": kind} if kind else {}
    reply = client.post("/api/v1/mfu", content=content, headers=headers)
    assert reply.status_code == status
    assert reply.json()["schema"] == "peakwise.error/1"
    assert reply.json()["error"]["message"]


def test_a_body_whose_size_is_not_stated_is_counted_as_it_comes(client: TestClient) -> None:
    parts = (b" " * 100_000 for _ in range(30))
    reply = client.post("/api/v1/mfu", content=parts, headers={"content-type": "application/json"})
    assert reply.status_code == 413


@pytest.mark.parametrize("path", ["/api/v1/mfu", "/api/v1/parse-number"])
def test_a_wrong_method_is_told_which_there_are(client: TestClient, path: str) -> None:
    reply = client.delete(path)
    assert reply.status_code == 405
    assert {word.strip() for word in reply.headers["allow"].split(",")} == {"GET", "HEAD", "POST"}
    assert reply.json()["schema"] == "peakwise.error/1"


def test_rows_are_answered_in_their_order_each_by_itself(client: TestClient) -> None:
    rows = [{**MFU, "accelerators": 1 + place} for place in range(40)] + [{**MFU, "peak_tflops": 0}]
    reply = client.post("/api/v1/mfu", json=rows)
    assert reply.status_code == 200
    documents = reply.json()
    assert [document["schema"] for document in documents] == ["peakwise.calc/1"] * 40 + ["peakwise.error/1"]
    assert documents[7] == client.post("/api/v1/mfu", json=rows[7]).json()


def test_a_table_is_answered_by_a_table(client: TestClient) -> None:
    table = (
        "workload,params_b,tokens_per_s,peak_tflops,accelerators\r\ninference,70,2000,989,1\r\ntraining,70,,989,8\r\n"
    )
    reply = client.post("/api/v1/mfu", content=table, headers={"content-type": "text/csv"})
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    first, second = csv.DictReader(io.StringIO(reply.text))
    assert float(first["mfu"]) == client.post("/api/v1/mfu", json=MFU).json()["results"]["mfu"]
    assert (first["band_applies"], first["errors"]) == ("false", "")
    assert (second["mfu"], second["errors"]) == ("", "E_REQ")


def test_a_table_can_be_asked_for_by_json_and_json_by_a_table(client: TestClient) -> None:
    reply = client.post("/api/v1/mfu", json=MFU, headers={"accept": "text/csv"})
    assert reply.text.startswith("flop_per_s,")
    table = "workload,params_b,tokens_per_s,peak_tflops\ninference,70,2000,989\n"
    headers = {"content-type": "text/csv", "accept": "application/json"}
    assert client.post("/api/v1/mfu", content=table, headers=headers).json()[0]["name"] == "mfu"


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: f"{case['text']!a}-{case['locale']}-{case['kind']}")
def test_a_typed_number_is_read_as_the_reference_says(client: TestClient, case: dict) -> None:
    asked = {key: case[key] for key in ("text", "locale", "kind")}
    reply = client.post("/api/v1/parse-number", json=asked)
    if case["error"] is not None:
        assert reply.status_code == 422
        assert reply.json()["errors"][0]["code"] == case["error"]
        return
    assert {key: reply.json()[key] for key in ("value", "notes", "alt", "echo")} == {
        key: case[key] for key in ("value", "notes", "alt", "echo")
    }


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({}, "E_REQ"),
        ({"text": 5}, "E_NUM"),
        ({"text": "5", "locale": "xx"}, "E_CHOICE"),
        ({"text": "5", "kind": "guess"}, "E_CHOICE"),
        ({"text": "5", "calculator": "mfu", "field": "chip"}, "E_CHOICE"),
        ({"text": "5", "calculator": "guess", "field": "params_b"}, "E_CHOICE"),
        ({"text": "5", "more": "x"}, "E_UNKNOWN"),
    ],
)
def test_a_bad_question_about_a_number_names_its_field(client: TestClient, asked: dict, code: str) -> None:
    reply = client.post("/api/v1/parse-number", json=asked)
    assert (reply.status_code, reply.json()["errors"][0]["code"]) == (422, code)


def test_a_number_can_be_read_by_a_calculators_own_field(client: TestClient) -> None:
    asked = {"text": "2.000", "locale": "es", "calculator": "mfu", "field": "tokens_per_s"}
    assert client.get("/api/v1/parse-number", params=asked).json()["value"] == 2000


def test_the_openapi_file_describes_every_input_of_every_calculator(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    for name in CALCULATORS:
        path = document["paths"][f"/api/v1/{name}"]
        keys = {field.key for field in find_calculator(name).declaration.fields}
        assert {parameter["name"] for parameter in path["get"]["parameters"]} == keys | {"locale"}
        for operation in path.values():
            assert {"200", "400", "405", "413", "415", "422"} <= set(operation["responses"])


def test_a_reply_says_how_much_the_server_takes_at_once(client: TestClient) -> None:
    policy = client.post("/api/v1/mfu", json=MFU).headers["ratelimit-policy"]
    assert policy == f'"together";q={AT_ONCE};qu="concurrent-requests"'


def test_no_file_of_the_machine_is_read_for_a_client(client: TestClient, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama"}', encoding="utf-8")
    for name in CALCULATORS:
        if any(field.key == "model" for field in find_calculator(name).declaration.fields):
            reply = client.post(f"/api/v1/{name}", json={"model": str(config), "seq_len": 128})
            assert {error["code"] for error in reply.json()["errors"]} >= {"E_CHOICE"}


def test_a_fault_of_the_server_shows_no_trace(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("peakwise.web.rows.calculate", fail)
    reply = client.post("/api/v1/mfu", json=MFU)
    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert "Traceback" not in reply.text
    assert reply.json()["schema"] == "peakwise.error/1"
