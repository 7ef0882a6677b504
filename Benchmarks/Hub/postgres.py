# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server with its default settings, in a folder of its own, reached by a Unix socket alone."""
import glob
import os
import pwd
import subprocess
import sys
import time

TOOLS = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]), default=None)


class Server:
    """The script that starts the benchmark stops the server, however this process ends."""

    def __init__(self, folder):
        if not TOOLS:
            sys.exit("there is no PostgreSQL server in /usr/lib/postgresql: apt-get install postgresql")
        self.socket = f"{folder}/hub"
        os.mkdir(self.socket)
        # The server refuses to run as root.
        self.owner = {}
        if os.getuid() == 0:
            user = next((user for user in pwd.getpwall() if user.pw_name == "postgres"), pwd.getpwnam("nobody"))
            self.owner = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.socket, user.pw_uid, user.pw_gid)
            os.chmod(folder, 0o711)
        data = f"{self.socket}/data"
        self.tool("initdb", "--username=siding", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", f"--pgdata={data}")
        self.tool("pg_ctl", "start", "--wait", f"--pgdata={data}", f"--log={self.socket}/log",
                  f"--options=-k {self.socket} -c listen_addresses=")
        self.version = self.value("SHOW server_version")

    def tool(self, name, *words):
        done = subprocess.run(
            [f"{TOOLS}/{name}", *words], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, **self.owner)
        if done.returncode:
            sys.exit(f"{name} ended with {done.returncode}: {done.stderr}")

    def psql(self, database="postgres"):
        return ["psql", "-h", self.socket, "-U", "siding", "-d", database, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]

    def rows(self, sql, database="postgres"):
        done = subprocess.run([*self.psql(database), "-c", sql], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"psql: {sql}: {done.stderr}")
        return done.stdout.splitlines()

    def value(self, sql, database="postgres"):
        return (self.rows(sql, database) or [""])[0]

    def number(self, sql, database="postgres"):
        return float(self.value(sql, database))

    def create(self, database):
        self.value(f"CREATE DATABASE {database}")
        return database

    def drop(self, database):
        self.value(f"DROP DATABASE {database} WITH (FORCE)")

    def settle(self):
        """What was written before is on the disk: nobody pays for it later."""
        self.value("CHECKPOINT")
        os.sync()

    def wal(self):
        """The bytes that were ever written ahead."""
        return self.number("SELECT pg_current_wal_insert_lsn() - '0/0'")

    def commits(self, database):
        return self.number(f"SELECT xact_commit FROM pg_stat_database WHERE datname = '{database}'")

    def rows_written(self, database):
        """Of all tables of users."""
        return self.number("SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables", database)

    def wait_until_alone(self, database):
        """Until the server has noticed that the other end of each connection is gone, and rolled back."""
        query = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        for _ in range(600):
            if self.number(query) == 0:
                return
            time.sleep(0.1)
        sys.exit(f"a connection to {database} does not end")
