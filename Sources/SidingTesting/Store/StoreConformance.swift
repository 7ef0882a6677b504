/// The laws that every engine behind the `Store` protocol keeps.
///
/// Run them in a test of your own, each on a fresh provider:
/// ```swift
/// @Test(arguments: StoreConformance.laws)
/// func `my store keeps the law`(_ law: StoreConformance.Law) async throws {
///     try await law.check(MyStoreProvider())
/// }
/// ```
public struct StoreConformance: Sendable {
    /// One promise, and how it is examined.
    public struct Law: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let name: String
        /// Examines an empty store that the provider makes.
        ///
        /// Throws a ``ConformanceViolation`` that says what is against the law, or what the store threw.
        public let check: @Sendable (any StoreProvider) async throws -> Void

        init(_ name: String, _ examine: @escaping @Sendable (inout ConformanceBench) async throws -> Void) {
            self.name = name
            check = { provider in
                var bench = try await ConformanceBench(provider)
                try await examine(&bench)
            }
        }

        public var description: String { name }
    }

    /// Every law, in the order in which it pays to repair a new engine.
    public static let laws: [Law] =
        runLaws + leaseLaws + fencingLaws + pageLaws + recordLaws + listingLaws + cursorLaws + freshnessLaws
        + definitionLaws
        + retentionLaws
        + queueLaws
        + selectionLaws + gateLaws + roundLaws + recordSelectionLaws + localWriteLaws + changeLaws + feedLaws
        + textSearchLaws + historyLaws + deletionLaws
}
