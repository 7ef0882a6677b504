/// The laws that every engine behind the `ResponseCache` protocol keeps.
///
/// Run them in a test of your own, each on a fresh provider:
/// ```swift
/// @Test(arguments: ResponseCacheConformance.laws)
/// func `my cache keeps the law`(_ law: ResponseCacheConformance.Law) async throws {
///     try await law.check(MyResponseCacheProvider())
/// }
/// ```
public struct ResponseCacheConformance: Sendable {
    /// One promise, and how it is examined.
    public struct Law: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let name: String
        /// Examines an empty cache that the provider makes.
        ///
        /// Throws a ``ConformanceViolation`` that says what is against the law, or what the cache threw.
        public let check: @Sendable (any ResponseCacheProvider) async throws -> Void

        init(_ name: String, _ examine: @escaping @Sendable (ResponseCacheBench) async throws -> Void) {
            self.name = name
            check = { provider in try await examine(ResponseCacheBench(provider)) }
        }

        public var description: String { name }
    }

    /// Every law, in the order in which it pays to repair a new engine.
    public static let laws: [Law] = keyLaws + variantLaws + refreshLaws + removalLaws + roomLaws
}
