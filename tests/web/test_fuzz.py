"""The API under schemathesis: every answer is one that the OpenAPI file describes, whatever is asked."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from peakwise.web.app import create_app

# Inputs that are each legal may contradict one another (a chip unknown to the catalogue, a text that no reader knows,
# more active parameters than there are): no schema can say so, and 422 with the field's name is the right answer.
CONFIG = schemathesis.Config.from_dict({"checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "422"]}}})
SCHEMA = schemathesis.openapi.from_asgi("/api/v1/openapi.json", create_app(), config=CONFIG)
EXAMPLES = 12  # of each operation, beside those that the file names and the borders of each field

pytestmark = pytest.mark.fuzz


@SCHEMA.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_the_file_describes(case: schemathesis.Case) -> None:
    case.call_and_validate()
