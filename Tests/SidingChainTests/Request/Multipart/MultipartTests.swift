// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct MultipartTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func body(_ form: MultipartForm, boundary: String = "B") async throws -> String {
        let body = try await MultipartEncoder(boundary: .fixed(boundary)).encode(form)
        let bytes = try await body.requestBody.collected()
        #expect(bytes.count == body.length)
        #expect(body.requestBody.length == body.length)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `fields, data and files are sent in their order, byte for byte`() async throws {
        let path = try directory.write("file!", to: "report.PDF")
        var form = MultipartForm()
        form.append(field: "z", value: "line one\nline two ż+&")
        form.append(data: [0x61, 0x62], name: "raw")
        form.append(data: [0x63], name: "named", filename: "c.txt")
        form.append(file: path, name: "doc")
        form.append(file: path, name: "doc", filename: "other", contentType: "text/x-own; charset=utf-8")
        form.append(field: "a", value: "")
        let expected = [
            "--B", #"Content-Disposition: form-data; name="z""#, "", "line one\nline two ż+&",
            "--B", #"Content-Disposition: form-data; name="raw""#, "Content-Type: application/octet-stream", "", "ab",
            "--B", #"Content-Disposition: form-data; name="named"; filename="c.txt""#, "Content-Type: text/plain", "",
            "c",
            "--B", #"Content-Disposition: form-data; name="doc"; filename="report.PDF""#,
            "Content-Type: application/pdf", "", "file!",
            "--B", #"Content-Disposition: form-data; name="doc"; filename="other""#,
            "Content-Type: text/x-own; charset=utf-8", "", "file!",
            "--B", #"Content-Disposition: form-data; name="a""#, "", "",
            "--B--", "",
        ]
        #expect(try await body(form) == expected.joined(separator: "\r\n"))
    }

    @Test func `names and file names are escaped as browsers do, and nothing more`() async throws {
        var form = MultipartForm()
        form.append(data: [], name: "a\"b\rc\nd\r\ne%f", filename: "zażółć \"x\"\\;\n.png")
        #expect(
            try await body(form)
                == "--B\r\nContent-Disposition: form-data; name=\"a%22b%0Dc%0Ad%0D%0Ae%f\"; "
                + "filename=\"zażółć %22x%22\\;%0A.png\"\r\nContent-Type: image/png\r\n\r\n\r\n--B--\r\n")
    }

    @Test func `a file's type is that of the name it is sent by, or of its own`() {
        var form = MultipartForm()
        form.append(file: "/x/upload.tmp", name: "f", filename: "a.PNG")
        form.append(file: "/x/a.json", name: "f", filename: "renamed")
        form.append(file: "/x.d/README", name: "f")
        form.append(file: "/x/a.json", name: "f", contentType: "text/plain")
        #expect(
            form.parts.map(\.contentType) == [
                "image/png", "application/json", "application/octet-stream", "text/plain",
            ])
        #expect(form.parts.map(\.filename) == ["a.PNG", "renamed", "README", "a.json"])
    }

    @Test func `a form without parts is its closing boundary`() async throws {
        #expect(try await body(MultipartForm()) == "--B--\r\n")
    }

    struct Profile: Encodable, Sendable {
        var user = User()
        var tags = ["x", "y"]
        var on = true
        var none: Int?
        struct User: Encodable { var name = "b&b", address = ["city": "ż"] }
    }

    @Test func `a model's members become fields with nested names`() throws {
        func fields(_ encoding: QueryEncoding) throws -> [String] {
            var form = MultipartForm()
            try form.append(model: Profile(), encoding: encoding)
            return form.parts.map { part in
                guard case .bytes(let bytes) = part.content else { return "" }
                return "\(part.name)=\(String(decoding: bytes, as: UTF8.self))"
            }
        }
        #expect(
            try fields(QueryEncoding())
                == ["on=1", "tags[]=x", "tags[]=y", "user[address][city]=ż", "user[name]=b&b"])
        #expect(
            try fields(QueryEncoding(bools: .asBool, arrays: .comma, nulls: .empty, dictionaries: .dots))
                == ["none=", "on=true", "tags=x", "tags=y", "user.address.city=ż", "user.name=b&b"])
    }

    @Test func `typed fields and files work together`() async throws {
        var form = MultipartForm()
        form.append(field: "z", value: "first")
        form.append(fields: ["user": ["name": "bob", "age": 23]])
        #expect(form.parts.map(\.name) == ["z", "user[age]", "user[name]"])
    }

    @Test func `a file may be named by its URL`() async throws {
        let path = try directory.write("x", to: "a b.csv")
        var form = MultipartForm()
        try form.append(file: URL(filePath: path), name: "f")
        #expect(form.parts.first?.filename == "a b.csv")
        #expect(form.parts.first?.contentType == "text/csv")
        #expect(try await body(form).contains("\r\n\r\nx\r\n"))
        let web = try #require(URL(string: "http://a/b"))
        #expect(await failure { try form.append(file: web, name: "f") }?.reason == .invalidRequest)
    }

    @Test func `a form that is the model is sent as it is`() async throws {
        var form = MultipartForm()
        form.append(field: "a", value: "1")
        #expect(
            try await RequestEncoderNode<MultipartForm>(boundary: .fixed("B")).encoded(form)
                == Encoded(
                    contentType: "multipart/form-data; boundary=B",
                    body: "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B--\r\n"))
    }

    @Test func `boundaries are new for each body, and legal`() async throws {
        var seen: Set<String> = []
        for _ in 0..<100 {
            let type = try await MultipartEncoder().encode(MultipartForm()).contentType
            let boundary = try #require(type.split(separator: "=").last.map(String.init))
            #expect(type == "multipart/form-data; boundary=\(boundary)")
            #expect(boundary.utf8.count <= 70)
            seen.insert(boundary)
        }
        #expect(seen.count == 100)
    }

    @Test(arguments: ["", String(repeating: "b", count: 71), "a b ", "a\r\nb", "ż", "a\"b", "٣"])
    func `a boundary that no reader would understand is refused`(_ boundary: String) async {
        let failure = await failure { try await body(MultipartForm(), boundary: boundary) }
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.phase == .notSent)
    }

    @Test(
        arguments: [
            (nil, "multipart/form-data; boundary=\"a b:c\"", "--a b:c--"),
            ("multipart/form-data", "multipart/form-data; boundary=\"a b:c\"", "--a b:c--"),
            (
                "Multipart/Related; type=\"x;boundary=y\"",
                "Multipart/Related; type=\"x;boundary=y\"; boundary=\"a b:c\"", "--a b:c--"
            ),
            (
                "multipart/form-data; charset=utf-8 ; BOUNDARY=own",
                "multipart/form-data; charset=utf-8 ; BOUNDARY=own", "--own--"
            ),
            ("multipart/form-data; boundary=\"o w=n\"", "multipart/form-data; boundary=\"o w=n\"", "--o w=n--"),
        ] as [(String?, String, String)])
    func `a declared multipart type is kept, and its boundary is used`(
        _ declared: String?, _ expected: String, _ end: String
    ) async throws {
        var fields = HTTPFields()
        fields[.contentType] = declared
        let draft = try RequestDraft.test(.post, "http://a/p", fields)
        let encoded = try await RequestEncoderNode<MultipartForm>(boundary: .fixed("a b:c"))
            .encoded(MultipartForm(), draft)
        #expect(encoded == Encoded(contentType: expected, body: end + "\r\n"))
    }

    @Test func `a declared type by which the parts could not be read is refused`() async throws {
        let draft = try RequestDraft.test(.post, "http://a/p", [.contentType: "application/json"])
        let failure = try await RequestEncoderNode<MultipartForm>().failure(of: MultipartForm(), draft)
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.detail?.contains("'application/json'") == true)
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "a\u{0}", ""])
    func `a part's content type cannot begin a field of its own`(_ type: String) async {
        var form = MultipartForm()
        form.append(data: [1], name: "pic", contentType: type)
        let failure = await failure { try await body(form) }
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.detail == "the content type of the field 'pic' is not a field value")
    }
}
