/// What is not as a law or a test wants it.
public struct ConformanceViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was to be, and what is.
    public let description: String
    /// Where it was noticed.
    public let line: Int

    package init(_ description: String, line: Int) {
        self.description = description
        self.line = line
    }
}

/// Ends a test where `condition` does not hold.
package func require(
    _ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line
) throws(ConformanceViolation) {
    guard condition else { throw ConformanceViolation(what(), line: line) }
}

/// Ends a test where `found` is not `wanted`.
package func require<Value: Equatable>(
    _ found: Value, is wanted: Value, _ what: String, line: Int = #line
) throws(ConformanceViolation) {
    guard found == wanted else { throw ConformanceViolation("\(what): wanted \(wanted), found \(found)", line: line) }
}

/// The value, or the end of a test.
package func require<Value>(_ found: Value?, _ what: String, line: Int = #line) throws(ConformanceViolation) -> Value {
    guard let found else { throw ConformanceViolation("\(what): found nothing", line: line) }
    return found
}
