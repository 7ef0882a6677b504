#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# curl with retries, and sqlite-utils for each page.   curl_copy.sh URL FOLDER
set -euo pipefail
page=$1/items
while [ -n "$page" ]; do
    curl --silent --fail --retry 5 --retry-all-errors --connect-timeout 30 --speed-limit 1 --speed-time 30 \
        --dump-header "$2/head" --output "$2/page.json" "$page"
    "$SQLITE_UTILS" upsert "$2/copy.db" items "$2/page.json" --pk id
    page=$(sed -nE 's/^[Ll]ink: <([^>]*)>; rel="next".*/\1/p' "$2/head" | tail -n 1)
done
