/// What a store does against a law.
public struct ConformanceViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was to be, and what is.
    public let description: String
    /// Where in the suite it was noticed.
    public let line: Int

    init(_ description: String, line: Int) {
        self.description = description
        self.line = line
    }
}

/// Ends a law where `condition` does not hold.
func require(
    _ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line
) throws(ConformanceViolation) {
    guard condition else { throw ConformanceViolation(what(), line: line) }
}

/// Ends a law where `found` is not `wanted`.
func require<Value: Equatable>(
    _ found: Value, is wanted: Value, _ what: String, line: Int = #line
) throws(ConformanceViolation) {
    guard found == wanted else { throw ConformanceViolation("\(what): wanted \(wanted), found \(found)", line: line) }
}

/// The value, or the end of a law.
func require<Value>(_ found: Value?, _ what: String, line: Int = #line) throws(ConformanceViolation) -> Value {
    guard let found else { throw ConformanceViolation("\(what): found nothing", line: line) }
    return found
}
