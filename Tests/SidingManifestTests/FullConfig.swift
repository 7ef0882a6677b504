// SPDX-License-Identifier: Apache-2.0
/// Everything that this release understands, said once.
enum FullConfig {
    static let text = """
        version: 1
        database: { path: data/tracker.db, synchronous: normal }
        keep: { runs: 60d, done: 7d, deleted: 1h }
        sources:
          tracker:
            base_url: https://api.example.com/v2
            headers: { Accept: application/vnd.tracker+json, X-Version: 2024-01-01 }
            auth: { type: bearer, token: { env: TOKEN } }
            http:
              connect_timeout: 1s
              idle_timeout: 1.5s
              total_timeout: 5m
              max_body: 50MiB
              redirects: 0
              redirect_to: [https://cdn.example.com, "http://localhost:99"]
              concurrency: 8
              allow_plain_http: true
            retry: { inline: 1, base: 500ms, cap: 2h, expire: 7d }
            idempotency: { header: X-Request-Key, lifetime: 1h }
          shop: { base_url: "http://localhost:8080", trace: true, auth: { type: basic, user: ada, password: { file: ~/pass } } }
          maps: { base_url: http://intranet.example, http: { allow_plain_http: true }, auth: { type: api_key, in: query, name: key, key: { command: [vault, read, maps] } } }
          mail: { base_url: https://mail.example, auth: { type: api_key, name: X-API-Key, key: { file: key.txt } }, errors: [{ when: { status: 403, header: { name: X-RateLimit-Remaining, equals: 0 } }, do: rate_limited }, { when: { body: { path: $.error.code, contains: EXPIRED } }, do: reset_cursor }, { when: { status: [404, 410] }, do: ignore, on: fetch }, { when: { error: [timeout, connectionLost] }, do: retry, on: write }, { when: { header: { name: X-Fault, exists: true }, body: { path: "$.errors[*].code", exists: true } }, do: park }], limits: [{ match: "/search/**", rate: 30/m }, { match: "**", rate: 5000/h, remaining_header: X-RateLimit-Remaining, reset_header: X-RateLimit-Reset }, { match: /export/*, remaining_header: X-Left }, { bytes: 50MiB/d }] }
          crm:
            base_url: https://crm.example
            auth:
              type: oauth2_client
              token_url: https://id.example/token
              client_id: my app
              client_secret: { file: crm.secret }
              client_auth: body
              scope: read write
              audience: all
              params: { tenant: 7, assertion: { env: ASSERTION } }
              refresh: { early: 30s, on_status: [401, 403] }
          books:
            base_url: https://books.example
            auth: { type: oauth2_refresh, token_url: "http://localhost:8080/token", client_id: { env: ID }, refresh_token: { file: first } }
          old:
            base_url: https://old.example
            auth:
              type: session
              path: /login?v=2
              body: { user: { name: ada, pin: "0123" }, n: 7, remember: true, password: { env: PASSWORD } }
              token_header: X-Session
              lifetime: 30m
              header: X-Auth-Token
          cloud: { base_url: https://cloud.example, auth: { type: command, command: [cloudctl, token], token: $.token, expires_in: $.end, prefix: "GoogleLogin auth=" }, http: { proxy: { url: "http://proxy.example:3128", user: ada, password: { env: TOKEN } }, interface: wwan0, min_rate: 100B, compression: never, user_agent: kiosk/7 (ada@example.com) }, tls: { ca_file: company.pem, only: true, certificate: ~/kiosk.pem, key: /etc/kiosk.key, key_password: { env: TOKEN }, min_version: "1.3" } }
        resources:
          issues:
            source: tracker
            path: /issues?view=all
            method: POST
            query: { per_page: 100, ratio: 1.5, version: 1.10, zip: 012, big: 1_000, flag: true, no: no, tags: [a, 2], in: { a: b }, none: ~ }
            query_encoding: plain
            records: "$.items[*]"
            key: [repo, $.meta.id]
            paginate: { type: cursor, path: $.next, param: after }
            stop: { max_pages: 10, has_more: $.has_more, is_last: $.is_last, empty_page: true, trust_end: true }
            conditional: off
            max_age: 15m
            schedule: { cron: "*/15 6-22 * * mon-fri", zone: Europe/Berlin, jitter: 1m }
            columns: { id: integer, author: $.user.login, updated_at: { type: datetime, path: $.meta.updated, index: true }, seen: { type: datetime, format: epoch_ms } }
            children: { labels: { path: "$.labels[*]", key: name, columns: { name: text, color: $.style.color } }, tags: { path: $.tags } }
            contract: { new_fields: quarantine, missing_key: fail, type_change: fail }
          a: { source: shop, path: /a, key: no, paginate: link_header, schedule: 15m }
          b: { source: shop, path: /b, key: 012, schedule: { every: 1h, jitter: 5m }, paginate: { type: next_url, path: $.links.next } }
          c: { source: shop, path: /c, key: "@odata.id", paginate: { type: header_cursor, header: X-Next, param: n } }
          d: { source: shop, path: /d, key: id, paginate: { type: page, param: p, start: 0, size_param: s, size: 50 } }
          e: { source: shop, path: /e, key: id, paginate: { type: offset, param: o, start: 1, limit_param: l, limit: 20 } }
          f: { source: shop, path: /f, key: id, stable: true, errors: [{ when: { status: 422 }, do: quarantine }], deletes: { detect: complete_listing, max: 5%, verify: "/f/{id}", field: $.gone, equals: true }, paginate: none, history: { keep: 90d, versions: 20 }, query: { since: "{cursor}", until: "{until}" }, cursor: { path: $.at, type: epoch, keep: max, start: 1700000000, lookback: 10m, order: asc, retention: 30d, format: datetime } }
          "open issues": { source: maps, path: "/g/{name}", key: id, query: { of: "{id}" }, for_each: { resource: issues, where: { path: $.state, equals: open, changed: true }, bind: { id: $.meta.id, name: $.repo }, concurrency: 8 } }
          g: { source: shop, path: /g, key: id, method: POST, body: { status: open, n: 7, ratio: 1.10, none: ~, flag: true, zip: 012, in: { tags: [a, { b: 2 }] }, since: 1 }, body_encoding: form, paginate: { type: page, in: body, param: p, size_param: $.s.n, size: 50 } }
          h: { source: shop, path: /h, key: id, method: POST, paginate: { type: cursor, last: $.sort, in: body, param: $.search.after } }
          i: { source: shop, path: /i, key: id, paginate: { type: next_url, header: X-Next } }
          j: { source: shop, path: /j, key: id, query: { since: "{cursor}" }, cursor: { path: $.at }, keep: { records: 90d } }
        writes:
          issues:
            source: tracker
            record: $.data.issue
            create: { path: /issues, id: $.meta.id, answer: part }
            update: { method: PUT, path: "/issues/{id}", if_match: true, body: part, answer: part }
            delete: { path: "/issues/{id}", if_match: $._rev, gone_is_done: false }
            lane: "issues/{id}"
            idempotency: { lifetime: 2h }
            conflict: { on: [409, 422], then: merge }
            coalesce: true
            unknown:
              probe: { path: /issues?state=all, query: { client_ref: "{entry}", q: "a b" }, records: "$.items[*]" }
              after: 1m
              otherwise: send
        notify:
          - { command: [bin/alert, ops], on: [failed, recovered], queued_longer_than: 2h, timeout: 5s }
          - { url: "https://ntfy.example/topic", headers: { Title: siding, Authorization: { env: TOKEN } }, on: parked }
          - { url: { file: hook.url } }
          - { ping: "http://127.0.0.1:8000/ping/" }
        publish:
          fleet: { to: postgresql://siding@hub.example.com/fleet, password: { file: hub.password }, station: van-17, resources: [f, "open issues", issues], schema: vans }
          archive: { to: service=archive, every: 5m }
        """
}
