// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

extension ResponseCacheConformance {
    static let keyLaws: [Law] = [
        Law("what is stored is found whole") { bench in
            var answer = bench.answer(to: bench.request())
            answer.head.headerFields = [
                .contentType: "application/json", .eTag: #"W/"ä""#, .lastModified: "Tue, 14 Nov 2023 00:00:00 GMT",
                .cacheControl: #"private, no-cache="x""#,
            ]
            for target in ["</posts?page=2>; rel=next", "</posts>; rel=first"] {
                answer.head.headerFields.append(HTTPField(name: HTTPField.Name("Link") ?? .location, value: target))
            }
            answer.head.url = "https://api.example.org/v2/posts"
            answer.head.storedAt = 1_700_000_000.25
            answer.head.initialAge = .milliseconds(1_500)
            try await require(bench.cache.store(answer), "it was not stored")
            let found = try await require(bench.cache.response(for: bench.request()), "the answer")
            try require(found.body, is: answer.body, "the body")
            try require(found.head.etag, is: answer.head.etag, "the tag")
            try require(found.head.lastModified, is: answer.head.lastModified, "the date")
            try require(lines(found.head), is: lines(answer.head), "the fields")
            try require(found.head.url, is: answer.head.url, "where it came from")
            try require(found.head.storedAt, is: answer.head.storedAt, "when it was stored")
            try require(found.head.initialAge, is: answer.head.initialAge, "its age then")
            try require(found.head.status, is: 200, "the status")
            try await require(bench.cache.head(for: bench.request()), is: found.head, "the head alone")
        },
        Law("a body is kept byte for byte, whatever the bytes") { bench in
            for bytes in [[], [0], [0xFF, 0xFE, 0, 0x80], Array(0...255)] as [[UInt8]] {
                var answer = bench.answer(to: bench.request())
                answer.body = bytes
                try await require(bench.cache.store(answer), "it was not stored")
                try await require(bench.cache.response(for: bench.request())?.body, is: bytes, "the body")
            }
        },
        Law("an answer is not given to another URL, method or account") { bench in
            try await bench.store("ann's", to: bench.request())
            for other in [
                bench.request("/posts/"), bench.request("/posts?page=1"), bench.request(method: "HEAD"),
                bench.request(account: "bob"), bench.request(account: "Ann"), bench.request(account: ""),
            ] {
                try await require(bench.body(other), is: nil, "the answer to \(other.key)")
            }
            try await bench.store("bob's", to: bench.request(account: "bob"))
            try await require(bench.body(bench.request()), is: "ann's", "the first account's answer")
            try await require(bench.body(bench.request(account: "bob")), is: "bob's", "the second account's answer")
        },
        Law("a newer answer takes the older one's place, tag and body together") { bench in
            try await bench.store("old", to: bench.request(), etag: "1")
            try await bench.store("new", to: bench.request(), etag: nil)
            let found = try await require(bench.cache.response(for: bench.request()), "the answer")
            try require(String(decoding: found.body, as: UTF8.self), is: "new", "the body")
            try require(found.head.etag, is: nil, "the tag")
        },
    ]

    static func lines(_ head: CachedHead) -> [String] {
        head.headerFields.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
    }

    static let variantLaws: [Law] = [
        Law("two languages have two rows, and a request without one has neither") { bench in
            for language in ["de", "en"] {
                try await bench.store(
                    language, to: bench.request(),
                    variant: ["Accept-Language": language, "accept": nil])
            }
            try await require(bench.body(bench.request(language: "de")), is: "de", "the first language")
            try await require(bench.body(bench.request(language: "en")), is: "en", "the second language")
            try await require(bench.body(bench.request(language: "fr")), is: nil, "a third language")
            try await require(bench.body(bench.request()), is: nil, "no language")
        },
        Law("no value is a value too: it is told from an empty one") { bench in
            try await bench.store("none", to: bench.request(), variant: ["accept-language": nil])
            try await bench.store("empty", to: bench.request(), variant: ["accept-language": ""])
            try await require(bench.body(bench.request()), is: "none", "no language")
            try await require(bench.body(bench.request(language: "")), is: "empty", "an empty language")
        },
        Law("an answer that varies on other fields takes the place of all earlier ones") { bench in
            try await bench.store("any", to: bench.request())
            try await bench.store("de", to: bench.request(), variant: ["accept-language": "de"])
            try await require(bench.body(bench.request(language: "fr")), is: nil, "another language")
            try await bench.store("any", to: bench.request())
            try await require(bench.body(bench.request(language: "de")), is: "any", "the language")
        },
    ]

    static let refreshLaws: [Law] = [
        Law("refreshing changes fields, time and age, and leaves the body") { bench in
            let old = try await bench.store("body", to: bench.request())
            var head = old.head
            head.headerFields[.cacheControl] = "max-age=60"
            head.headerFields[.eTag] = #"W/"1""#
            (head.storedAt, head.initialAge) = (head.storedAt + 60, .seconds(3))
            try await require(bench.cache.refresh(head, validated: old.head), "it was refused")
            let found = try await require(bench.cache.response(for: bench.request()), "the answer")
            try require(String(decoding: found.body, as: UTF8.self), is: "body", "the body")
            try require(lines(found.head), is: lines(head), "the fields")
            try require(found.head.storedAt, is: head.storedAt, "the time")
            try require(found.head.initialAge, is: head.initialAge, "the age")
        },
        Law("an answer that changed since it was validated is not refreshed") { bench in
            let old = try await bench.store("old", to: bench.request(), etag: "1")
            let new = try await bench.store("new", to: bench.request(), etag: "2")
            try await require(!bench.cache.refresh(old.head, validated: old.head), "it was refreshed")
            try await require(bench.cache.response(for: bench.request()), is: new, "the answer")
        },
        Law("an answer that is gone is not refreshed") { bench in
            let old = bench.answer(to: bench.request())
            try await require(!bench.cache.refresh(old.head, validated: old.head), "it was refreshed")
            try await require(bench.cache.head(for: bench.request()), is: nil, "the answer")
        },
        Law("refreshing one variant leaves the others") { bench in
            let old = try await bench.store("de", to: bench.request(), variant: ["accept-language": "de"])
            let english = try await bench.store(
                "en", to: bench.request(), variant: ["accept-language": "en"])
            var head = old.head
            head.storedAt += 60
            try await require(bench.cache.refresh(head, validated: old.head), "it was refused")
            try await require(bench.cache.response(for: bench.request(language: "en")), is: english, "the other")
        },
    ]
}
