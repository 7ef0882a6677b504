// SPDX-License-Identifier: Apache-2.0
/// The laws that every implementation of the `ResponseCache` protocol must keep.
///
/// Run them in a test of your own, each on a fresh provider:
/// ```swift
/// @Test(arguments: ResponseCacheConformance.laws)
/// func `my cache keeps the law`(_ law: ResponseCacheConformance.Law) async throws {
///     try await law.check(MyResponseCacheProvider())
/// }
/// ```
public struct ResponseCacheConformance: Sendable {
    /// One law and its check.
    public struct Law: Sendable, CustomStringConvertible {
        /// The law as a sentence.
        public let name: String
        /// Checks an empty cache of the provider.
        ///
        /// Throws a ``ConformanceViolation`` that describes the violation, or the cache's error.
        public let check: @Sendable (any ResponseCacheProvider) async throws -> Void

        init(_ name: String, _ examine: @escaping @Sendable (ResponseCacheBench) async throws -> Void) {
            self.name = name
            check = { provider in try await examine(ResponseCacheBench(provider)) }
        }

        public var description: String { name }
    }

    /// Every law, in a useful order for developing a new implementation.
    public static let laws: [Law] = keyLaws + variantLaws + refreshLaws + removalLaws + roomLaws
}
