// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

extension ResponseCacheConformance {
    static let removalLaws: [Law] = [
        Law("removing a key removes all its variants, and nothing else") { bench in
            for language in ["de", "en"] {
                try await bench.store(
                    to: bench.request(), variant: ["accept-language": language])
            }
            try await bench.store(to: bench.request("/users"))
            try await bench.store(to: bench.request(account: "bob"))
            try await bench.cache.remove(ResponseCacheBench.key())
            try await require(bench.body(bench.request(language: "de")), is: nil, "the first variant")
            try await require(bench.body(bench.request(language: "en")), is: nil, "the second variant")
            try await require(bench.body(bench.request("/users")), is: "[]", "another URL")
            try await require(bench.body(bench.request(account: "bob")), is: "[]", "another account")
            try await bench.cache.remove(ResponseCacheBench.key())
        },
        Law("an account that signs out leaves nothing behind, and the others alone") { bench in
            try await bench.store(to: bench.request())
            try await bench.store(to: bench.request("/users"))
            try await bench.store(to: bench.request(account: "bob"))
            try await bench.cache.removeAll(ofAccount: "ann")
            try await require(bench.kept(["/posts", "/users"]), is: [], "its answers")
            try await require(bench.body(bench.request(account: "bob")), is: "[]", "another account's")
        },
    ]

    static let roomLaws: [Law] = [
        Law("what was not used for longest goes first when room is needed") { bench in
            let paths = (0..<10).map { "/\($0)" }
            for path in paths {
                try await bench.store(to: bench.request(path), bytes: 1_024)
                bench.later()
            }
            try await require(bench.kept(paths), is: paths, "what there is room for")
            try await require(bench.body(bench.request("/0")) != nil, "the first is gone")
            bench.later()
            try await bench.store(to: bench.request("/new"), bytes: 2_048)
            try await require(bench.kept(paths), is: ["/0"] + paths[3...], "what is left")
            try await require(bench.kept(["/new"]), is: ["/new"], "the newest")
        },
        Law("a look at the head alone does not count as use") { bench in
            let paths = (0..<10).map { "/\($0)" }
            for path in paths {
                try await bench.store(to: bench.request(path), bytes: 1_024)
                bench.later()
            }
            _ = try await bench.cache.head(for: bench.request("/0"))
            bench.later()
            try await bench.store(to: bench.request("/new"), bytes: 1_024)
            try await require(bench.kept(["/0"]), is: [], "what was only looked at")
        },
        Law("an answer that is stored again counts once") { bench in
            let paths = (0..<9).map { "/\($0)" }
            for path in paths { try await bench.store(to: bench.request(path), bytes: 1_024) }
            for _ in 0..<20 { try await bench.store(to: bench.request("/again"), bytes: 1_024) }
            try await require(bench.kept(paths), is: paths, "what there is room for")
        },
        Law("what a refresh adds counts as well") { bench in
            let old = try await bench.store(to: bench.request("/old"))
            var head = old.head
            head.headerFields[.cacheControl] = String(repeating: "x", count: 6_000)
            try await require(bench.cache.refresh(head, validated: old.head), "it was refused")
            bench.later()
            try await bench.store(to: bench.request("/new"), bytes: 5_000)
            try await require(bench.kept(["/old", "/new"]), is: ["/new"], "what is left")
        },
        Law("an answer larger than the cache is not stored, and nothing goes for it") { bench in
            try await bench.store(to: bench.request())
            let large = bench.answer(to: bench.request("/large"), bytes: ResponseCacheBench.byteLimit + 1)
            try await require(!bench.cache.store(large), "it was stored")
            try await require(bench.kept(["/large"]), is: [], "the large one")
            try await require(bench.kept(["/posts"]), is: ["/posts"], "the small one")
            try await bench.store(to: bench.request("/full"), bytes: ResponseCacheBench.byteLimit)
            try await require(bench.kept(["/posts", "/full"]), is: ["/full"], "one that just fits")
        },
        Law("evicting drops no more than it must") { bench in
            let paths = (0..<10).map { "/\($0)" }
            for path in paths {
                try await bench.store(to: bench.request(path), bytes: 1_024)
                bench.later()
            }
            try await bench.cache.evict(to: 4 * 1_024)
            try await require(bench.kept(paths), is: Array(paths[6...]), "what is left")
            try await bench.cache.evict(to: 4 * 1_024 - 1)
            try await require(bench.kept(paths), is: Array(paths[7...]), "what is left, a byte less")
            try await bench.cache.evict(to: 0)
            try await require(bench.kept(paths), is: [], "what is left without room")
        },
    ]
}
