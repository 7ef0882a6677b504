// SPDX-License-Identifier: Apache-2.0
/// Recognizes texts that dlt or its program replaces by a value.
enum DltReference {
    /// Reads `dlt.secrets["a.b"]`, `dlt.config["a.b"]`, `os.environ["A"]`, `os.getenv("A")`, `${A}`, each possibly after other
    /// text, or plain text.
    static func read(_ text: String) -> ImportedText {
        guard text.utf8.count <= 2000, text.contains("dlt.") || text.contains("env") || text.contains("$") else {
            return .literal(text)
        }
        let secrets =
            /(?s)(.*?)\{?dlt\.secrets(?:\[['"]([A-Za-z0-9_.-]+)['"]\]|\.get\(['"]([A-Za-z0-9_.-]+)['"]\)|\.([A-Za-z0-9_.]+))\}?/
        if let match = text.wholeMatch(of: secrets) {
            let key = match.output.2 ?? match.output.3 ?? match.output.4 ?? ""
            return .secret(variable: variable(String(key)), prefix: String(match.output.1))
        }
        let environment =
            /(?s)(.*?)(?:os\.environ\[['"]|os\.environ\.get\(['"]|os\.getenv\(['"]|env:|\$\{?)([A-Za-z_][A-Za-z0-9_]*)(?:['"]\]|['"]\)|\})?/
        if let match = text.wholeMatch(of: environment) {
            return .secret(variable: String(match.output.2), prefix: String(match.output.1))
        }
        if text.contains("dlt.config") || text.contains("dlt.secrets") {
            return .unknown("a value of dlt's configuration")
        }
        return .literal(text)
    }

    /// The environment variable that dlt itself uses: sections in capitals, joined by two underscores.
    private static func variable(_ key: String) -> String {
        let parts = key.uppercased().split(separator: ".")
        let name = parts.map { String($0.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }.joined(separator: "__")
        return name.first?.isNumber ?? true ? "_" + name : name
    }
}
