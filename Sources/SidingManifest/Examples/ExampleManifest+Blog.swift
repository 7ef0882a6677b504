extension ExampleManifest {
    /// Two small collections of a public practice service.
    public static let blog = ExampleManifest(
        name: "blog", summary: "posts and comments of jsonplaceholder.typicode.com; works as it stands",
        text: """
            # siding.yaml: what to fetch, from where, and what tells records apart.
            #
            #   siding check          finds mistakes in this file
            #   siding plan           shows the requests that a sync would send
            #   siding sync           fetches, and saves what is new
            #   siding query 'SELECT id, title FROM posts'
            #
            # JSON paths are written as SQLite writes them: $.a.b, $.list[0], and $.items[*] for each element.
            # Durations: 500ms 30s 15m 2h 7d. Sizes: 64KiB 50MiB. Unknown keys are errors.
            version: 1

            # Where everything is kept. Left out: a file in the state directory.
            # database:
            #   path: blog.db                    # relative to this file

            sources:
              blog:
                base_url: https://jsonplaceholder.typicode.com

            resources:
              posts:                             # the name of the view: SELECT * FROM posts
                source: blog
                path: /posts
                key: id
                paginate: none                   # the whole listing is one page
                max_age: 1h                      # `siding status` calls it stale after that

              comments:
                source: blog
                path: /comments
                key: id
                paginate: none
                max_age: 1h

            """)
}
