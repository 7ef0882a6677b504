// SPDX-License-Identifier: Apache-2.0
/// A violated law or test condition.
public struct ConformanceViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expected and the found value.
    public let description: String
    /// The source line of the check.
    public let line: Int

    package init(_ description: String, line: Int) {
        self.description = description
        self.line = line
    }
}

/// Ends a test if `condition` does not hold.
package func require(
    _ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line
) throws(ConformanceViolation) {
    guard condition else { throw ConformanceViolation(what(), line: line) }
}

/// Ends a test if `found` is not `wanted`.
package func require<Value: Equatable>(
    _ found: Value, is wanted: Value, _ what: String, line: Int = #line
) throws(ConformanceViolation) {
    guard found == wanted else { throw ConformanceViolation("\(what): wanted \(wanted), found \(found)", line: line) }
}

/// Returns the value; ends the test if it is nil.
package func require<Value>(_ found: Value?, _ what: String, line: Int = #line) throws(ConformanceViolation) -> Value {
    guard let found else { throw ConformanceViolation("\(what): found nothing", line: line) }
    return found
}
