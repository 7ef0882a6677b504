// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

extension PostgreSQLError {
    static func missingLibrary(_ name: String) -> PostgreSQLError {
        let reason = dlerror().map { firstLine(String(cString: $0)) } ?? "a function is missing in it"
        return PostgreSQLError(
            .libraryMissing, "\(name) could not be loaded: \(reason)", hint: "Install the Debian package libpq5.")
    }

    /// - Parameter reason: libpq's message. What it quotes may be a part of a password that contains a space.
    static func invalidAddress(_ reason: String) -> PostgreSQLError {
        PostgreSQLError(
            .invalidAddress, "the address is invalid: \(withoutQuotations(firstLine(reason)))",
            hint: "Write postgresql://USER@HOST/DATABASE, host=… dbname=…, or service=…")
    }

    /// A connection that was not made.
    ///
    /// - Parameter report: libpq's messages with full verbosity: a line for each attempt, with the SQLSTATE where a server
    ///   answered, and indented lines of advice.
    static func connecting(
        _ report: String, secrets: [String], needsPassword: Bool, hasStrictTLS: Bool
    ) -> PostgreSQLError {
        let attempts = report.split(separator: "\n").filter { !$0.hasPrefix("\t") && !$0.hasPrefix("LOCATION:") }
        // A server's answer says more than an attempt that found none.
        let answer = attempts.lazy.compactMap(splitSQLState).first
        let message = line(answer?.message ?? attempts.first.map(String.init) ?? "no connection", secrets: secrets)
        guard let sqlState = answer?.sqlState else {
            if needsPassword { return PostgreSQLError(.signIn, "the server asks for a password, and there is none") }
            // Only the advice depends on the text.
            let isAboutTLS = hasStrictTLS && ["SSL", "certificate"].contains { message.contains($0) }
            return PostgreSQLError(
                .unreachable, message,
                hint: isAboutTLS
                    ? "Servers on other machines need TLS with a trusted certificate, unless the address has an sslmode."
                    : nil)
        }
        let kind: Kind =
            sqlState.hasPrefix("28")
            ? .signIn : ["57P", "08"].contains { sqlState.hasPrefix($0) } ? .unreachable : .refused
        return PostgreSQLError(kind, message, sqlState: sqlState)
    }

    /// A statement that the server refused.
    static func statement(sqlState: String?, message: String, hint: String?, secrets: [String]) -> PostgreSQLError {
        let isLost = ["57P", "08"].contains { sqlState?.hasPrefix($0) ?? true }
        // Class 22, "data exception", quotes the value.
        let isQuoting = sqlState?.hasPrefix("22") ?? false
        func clean(_ text: String) -> String {
            line(isQuoting ? withoutQuotations(firstLine(text)) : text, secrets: secrets)
        }
        return PostgreSQLError(isLost ? .lost : .refused, clean(message), sqlState: sqlState, hint: hint.map(clean))
    }

    static let closed = PostgreSQLError(.lost, "the connection is closed")

    /// `connection to … failed: FATAL:  28P01: text`, in any language of the server, as the SQLSTATE and the message.
    private static func splitSQLState(_ line: Substring) -> (sqlState: String, message: String)? {
        guard let match = line.firstMatch(of: #/:  ([0-9A-Z]{5}):\ /#) else { return nil }
        return (String(match.output.1), "\(line[..<match.range.lowerBound]): \(line[match.range.upperBound...])")
    }

    /// The first line, of at most 300 characters, with every secret replaced.
    private static func line(_ text: String, secrets: [String]) -> String {
        var line = firstLine(text)
        // Neither libpq nor the server repeats a password; this is for a proxy that does. A shorter one would garble the text.
        for secret in secrets where secret.utf8.count > 3 { line = line.replacing(secret, with: "…") }
        return line.count > 300 ? "\(line.prefix(299))…" : line
    }

    private static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first ?? ""
        return String(line.trimming(while: \.isWhitespace))
    }

    /// The text with `"…"` in place of all from the first quotation mark to the last: what is quoted may have some itself.
    static func withoutQuotations(_ text: String) -> String {
        guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\"") else { return text }
        let end = first < last ? text[text.index(after: last)...] : ""
        return text[..<first] + "\"…\"" + end
    }
}

extension Substring {
    fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
