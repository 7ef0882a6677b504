extension ExampleManifest {
    /// A service on this machine, with the settings that are worth knowing spelled out.
    public static let local = ExampleManifest(
        name: "local", summary: "a service on this machine: a template with the common settings",
        text: """
            # siding.yaml: a service on this machine. Plain http is spoken to loopback alone; elsewhere it takes
            # `http: { allow_plain_http: true }`. Values shown are the defaults unless a comment says otherwise.
            version: 1

            database:
              path: local.db                     # relative to this file; default: in the state directory
              synchronous: full                  # survives a power cut; normal: survives the end of the process

            sources:
              local:
                base_url: http://127.0.0.1:8080/api
                headers: { Accept: application/json }
                auth: none                       # or, for example:
                # auth: { type: bearer, token: { file: token.txt } }
                # auth: { type: basic, user: ada, password: { env: LOCAL_PASSWORD } }
                # auth: { type: api_key, in: header, name: X-API-Key, key: { env: LOCAL_KEY } }
                http: { connect_timeout: 5s, idle_timeout: 30s, total_timeout: 2m, max_body: 64MiB, redirects: 5 }
                retry: { inline: 2, base: 2s, factor: 2, cap: 1h, jitter: full }

            resources:
              items:
                path: /items                     # `source` may be left out where there is but one
                query: { per_page: 100 }
                query_encoding: { bool: int, array: brackets }
                records: $.items[*]              # default: the root array, or the only array of the root object
                key: id                          # or [tenant, id], or $.meta.id
                paginate: auto                   # none, link_header, next_url, cursor, header_cursor, page, offset
                # paginate: { type: page, param: page, start: 1, size_param: per_page, size: 100 }
                # paginate: { type: cursor, path: $.next_cursor, param: cursor }
                stop: { max_pages: 1000 }        # default: no limit
                conditional: auto                # unchanged pages answer 304
                max_age: 15m                     # default: never stale

            """)
}
