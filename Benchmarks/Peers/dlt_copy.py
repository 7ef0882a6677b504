# SPDX-License-Identifier: Apache-2.0
"""dlt, as its documentation has it: rest_api_source into DuckDB, merged by the key."""

import os
import sys

url, folder = sys.argv[1:]
os.environ.update(
    RUNTIME__DLTHUB_TELEMETRY="false", RUNTIME__LOG_LEVEL="CRITICAL", RUNTIME__REQUEST_TIMEOUT="30",
    DLT_DATA_DIR=f"{folder}/dlt")
import dlt
from dlt.sources.rest_api import rest_api_source

source = rest_api_source({
    "client": {"base_url": url, "paginator": "header_link"},
    "resources": [{"name": "items", "primary_key": "id", "write_disposition": "merge", "endpoint": {"path": "items"}}],
})
dlt.pipeline(
    "peer", pipelines_dir=f"{folder}/pipelines", dataset_name="records",
    destination=dlt.destinations.duckdb(f"{folder}/copy.duckdb")).run(source)
