# SPDX-License-Identifier: Apache-2.0
"""The usual script: requests, retries of urllib3, one transaction per page."""

import sqlite3
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

url, folder = sys.argv[1:]
database = sqlite3.connect(f"{folder}/copy.db")
database.execute("CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, title, done, text)")
session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=Retry(5, backoff_factor=1, status_forcelist=[429, 500, 502, 503, 504])))
page = f"{url}/items"
while page:
    answer = session.get(page, timeout=30)
    answer.raise_for_status()
    with database:
        database.executemany("INSERT OR REPLACE INTO items VALUES (:id, :title, :done, :text)", answer.json())
    page = answer.links.get("next", {}).get("url")
