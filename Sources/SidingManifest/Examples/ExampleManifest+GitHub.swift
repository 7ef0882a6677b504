extension ExampleManifest {
    /// A listing of many pages, with a token where one is at hand.
    public static let github = ExampleManifest(
        name: "github", summary: "issues of a public repository, page by page, with an optional token",
        text: """
            # siding.yaml: the issues and releases of a public repository on GitHub.
            version: 1

            sources:
              github:
                base_url: https://api.github.com
                headers:
                  Accept: application/vnd.github+json
                  X-GitHub-Api-Version: "2022-11-28"
                # Without a token GitHub answers 60 requests an hour. A secret is never written in this file:
                # auth:
                #   type: bearer
                #   token: { env: GITHUB_TOKEN } # or { file: ~/.config/github-token } or { command: [gh, auth, token] }
                http:
                  total_timeout: 1m
                  concurrency: 2

            resources:
              issues:
                source: github
                path: /repos/swiftlang/swift-subprocess/issues
                query: { state: all, sort: updated, per_page: 100 }
                key: id
                paginate: link_header            # Link: <…>; rel="next"
                stop: { max_pages: 200 }
                max_age: 15m

              releases:
                source: github
                path: /repos/swiftlang/swift-subprocess/releases
                query: { per_page: 100 }
                key: id
                paginate: link_header
                max_age: 1d

            """)
}
