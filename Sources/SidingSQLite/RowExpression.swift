/// An SQL expression over the values of one row, as a person wrote it: known to be one expression, to reach no table, and to
/// give the same for the same row.
///
/// It is made only by checking, so that it may stand in a statement of the program.
public struct RowExpression: Sendable, Hashable {
    public let text: String
    /// The names that it uses besides those that were given, as it spells them.
    public let names: [String]

    /// The most names of one expression.
    public static let mostNames = 100

    /// Checks an expression, by letting SQLite compile it over nothing.
    ///
    /// - Parameter known: names that mean something already.
    /// - Throws: ``RowExpressionError`` in SQLite's words, where it is none, or does more than compute.
    public init(_ text: String, known: [String] = []) throws(RowExpressionError) {
        guard !text.utf8.contains(0) else { throw RowExpressionError("it holds a NUL") }
        let bench = try ExpressionBench()
        var names: [String] = []
        while let missing = try bench.missingName(in: text, names: known + names) {
            guard names.count < Self.mostNames else {
                throw RowExpressionError("it uses more than \(Self.mostNames) names")
            }
            names.append(missing)
        }
        try bench.checkThatItOnlyComputes(text, names: known + names)
        self.text = text
        self.names = names
    }
}

/// Why a text is no expression over a row.
public struct RowExpressionError: Error, Sendable, Hashable {
    public let message: String

    init(_ message: String) { self.message = message }
}

extension SQL.StringInterpolation {
    /// A checked expression, in parentheses. The line break ends a comment that may stand at its end.
    public mutating func appendInterpolation(expression: RowExpression) {
        text += "(\(expression.text)\n)"
    }
}
