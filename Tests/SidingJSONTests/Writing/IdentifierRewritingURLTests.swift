import SidingJSON
import Testing

struct IdentifierRewritingURLTests {
    @Test(arguments: [
        ("/issues/tmp-1", "/issues/42"), ("/issues/tmp-1/comments", "/issues/42/comments"), ("tmp-1", "42"),
        ("/tmp-1/tmp-1", "/42/42"), ("/a//tmp-1/", "/a//42/"), ("", ""), ("/", "/"), ("?", "?"), ("//tmp-1", "//42"),
        // Percent-encoded in any way.
        ("/i/%74mp-1", "/i/42"), ("/i/tmp%2d1?p=tmp%2D1", "/i/42?p=42"),
        // Parts of a segment or value, and names, are not it.
        ("/tmp-12/xtmp-1/tmp-1.json/tmp-1;v=2/TMP-1", nil), ("/a?tmp-1=1&b=tmp-12&tmp-1&c=1,tmp-1", nil),
        ("/a/%2Ftmp-1", nil), ("/a?b=c=tmp-1", nil), ("/i/%tmp-1?x=%t&y=%", nil), ("/i/tmp-%31", "/i/42"),
        // In a query.
        ("/a?p=tmp-1", "/a?p=42"), ("/a?p=tmp-1&q=x%20y&r=tmp-1&", "/a?p=42&q=x%20y&r=42&"), ("?p=tmp-1", "?p=42"),
        ("/a?b[]=tmp-1&p=/tmp-1&=tmp-1", "/a?b[]=42&p=/tmp-1&=42"), ("/a?p=tmp-1?", nil), ("/a?x=%zz+%20&&", nil),
        // A fragment and the authority are left alone.
        ("/a#tmp-1", nil), ("/a?p=tmp-1#/tmp-1?p=tmp-1", "/a?p=42#/tmp-1?p=tmp-1"), ("/tmp-1#", "/42#"),
        ("https://tmp-1/tmp-1?p=tmp-1", "https://tmp-1/42?p=42"), ("http://tmp-1", nil),
        ("tmp-1://tmp-1/tmp-1", "tmp-1://tmp-1/42"),
        ("http://tmp-1?p=tmp-1", "http://tmp-1?p=42"), ("/x://tmp-1", "/x://42"), ("/a?u=http://h/tmp-1", nil),
        ("/é/tmp-1/東", "/é/42/東"),
    ])
    func `in a URL the id is a whole segment or a whole value`(url: String, result: String?) throws {
        let rewriting = try IdentifierRewriting(from: "tmp-1", to: JSONDocument("42"))
        #expect(rewriting.replacing(inURL: url) == result ?? url)
        #expect(rewriting.replacing(inURL: result ?? url) == result ?? url)
    }

    @Test(arguments: [
        (#""a/b c""#, "a%2Fb%20c"), (#""\u00e9+%&=?#""#, "%C3%A9%2B%25%26%3D%3F%23"), (#""A-z_0.9~""#, "A-z_0.9~"),
        ("-1.5e+3", "-1.5e%2B3"), ("12345678901234567890123", "12345678901234567890123"), (#""\u0001""#, "%01"),
        (#""...""#, "..."), (#""%2F""#, "%252F"), (#"":@!$'()*,;""#, "%3A%40%21%24%27%28%29%2A%2C%3B"),
    ])
    func `the real id is percent-encoded but for unreserved characters`(real: String, encoded: String) throws {
        let rewriting = try IdentifierRewriting(from: "t", to: JSONDocument(real))
        #expect(rewriting.replacing(inURL: "/t/x?y=t") == "/\(encoded)/x?y=\(encoded)")
        #expect(rewriting.replacing(inURL: "/\(encoded)/x?y=\(encoded)") == "/\(encoded)/x?y=\(encoded)")
    }

    @Test(arguments: [
        ("a b", "/a%20b/a+b?p=a%20b&q=a+b", "/0/a+b?p=0&q=0"), ("a+b", "/a+b/a%2Bb?p=a+b&q=a%2bb", "/0/0?p=0&q=0"),
        ("a/b", "/a/b/a%2Fb?p=a/b", "/a/b/0?p=0"), ("é", "/%C3%A9/é/e%CC%81/%C3", "/0/0/e%CC%81/%C3"),
        ("%41", "/%41/%2541/A", "/%41/0/A"), ("%", "/%/%25", "/0/0"), ("a&b", "?p=a&b&q=a%26b", "?p=a&b&q=0"),
    ])
    func `ids with characters that a URL encodes are found in each of their spellings`(
        temporary: String, url: String, result: String
    ) throws {
        let rewriting = try IdentifierRewriting(from: temporary, to: JSONDocument("0"))
        #expect(rewriting.replacing(inURL: url) == result)
    }

    @Test(arguments: 0..<4)
    func `a URL without the id stays byte for byte, and rewriting again changes nothing`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 49_979_687)
        let pieces = [
            "/", "/", "?", "&", "=", "#", "%", "%2F", "%74", "t", "mp-1", "tmp-1", "tmp-1", "é", "+", "http://h", ";",
            " ",
        ]
        let rewriting = try IdentifierRewriting(from: "tmp-1", to: JSONDocument(#""r/%41""#))
        let absent = try IdentifierRewriting(from: "tmp-9", to: JSONDocument("1"))
        var changed = 0
        for _ in 0..<2000 {
            let url = (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            #expect(Array(absent.replacing(inURL: url).utf8) == Array(url.utf8))
            let result = rewriting.replacing(inURL: url)
            #expect(rewriting.replacing(inURL: result) == result, "\(url)")
            if result != url { changed += 1 }
            // Segments and values stay as many as they were.
            for separator in "/?&=#" {
                #expect(result.count { $0 == separator } == url.count { $0 == separator }, "\(url)")
            }
        }
        #expect((40..<1900).contains(changed))
    }
}
