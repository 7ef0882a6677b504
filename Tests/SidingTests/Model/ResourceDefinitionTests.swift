import SidingJSON
import HTTPTypes
import SidingChain
import Testing

@testable import Siding

@Suite struct ResourceDefinitionTests {
    private func resource(_ change: (inout AnyResource) throws -> Void = { _ in }) throws -> AnyResource {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        try change(&resource)
        return resource
    }

    private func differences(_ change: (inout AnyResource) throws -> Void) throws -> [String] {
        try ResourceDefinition(resource(change)).differences(from: ResourceDefinition(resource()))
    }

    @Test func `whatever decides which records there are is an aspect`() throws {
        #expect(try differences { $0.source.baseURL = try HTTPURL("https://b.example.org") } == ["base_url"])
        #expect(try differences { $0.method = .post } == ["method"])
        #expect(try differences { $0.path = "/pages" } == ["path"])
        #expect(try differences { $0.query = ["a": 1] } == ["query"])
        #expect(try differences { $0.records = try JSONPath(parsing: "$.data") } == ["records"])
        #expect(try differences { $0.key = [JSONPath(member: "uuid")] } == ["key"])
        #expect(try differences { $0.paging = .linkHeader } == ["paginate"])
        #expect(try differences { ($0.path, $0.method) = ("/x", .post) } == ["method", "path"])
    }

    @Test func `what does not decide it is none`() throws {
        #expect(try differences { $0.source.name = "renamed" } == [])
        #expect(try differences { $0.source.authorization = .bearer { "t" } } == [])
        #expect(try differences { $0.isConditional = false } == [])
        #expect(try differences { $0.stop = StopRules(maxPages: 3) } == [])
    }

    @Test func `a composite key is not the same as one member of that name`() throws {
        let pair = try differences { $0.key = [JSONPath(member: "a"), JSONPath(member: "b")] }
        let odd = try ResourceDefinition(resource { $0.key = [JSONPath(member: "a\n$.b")] })
        #expect(pair == ["key"])
        #expect(try ResourceDefinition(resource { $0.key = [JSONPath(member: "a"), JSONPath(member: "b")] }) != odd)
    }

    @Test func `the stored text comes back as the same definition, with sorted members`() throws {
        let definition = try ResourceDefinition(resource { $0.path = "/a/\"b\"/ü" })
        #expect(ResourceDefinition(stored: definition.text) == definition)
        #expect(definition.text.hasPrefix(#"{"base_url":"https://api.example.org/","key":"#))
    }

    @Test func `a stored text that cannot be read differs in everything`() throws {
        let definition = try ResourceDefinition(resource())
        #expect(definition.differences(from: ResourceDefinition(stored: "{")).count == definition.aspects.count)
    }
}
