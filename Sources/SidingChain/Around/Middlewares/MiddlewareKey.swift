/// Names a middleware, so that a later one can take its place and a request can choose or refuse it.
public struct MiddlewareKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(_ name: String) {
        description = name
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }
}
