/// Texts that stand for something that dlt, or the program around it, looks up.
enum DltReference {
    /// `dlt.secrets["a.b"]`, `dlt.config["a.b"]`, `os.environ["A"]`, `os.getenv("A")`, `${A}`, or text as it is; in each
    /// of them text may stand before the reference.
    static func read(_ text: String, in source: String) -> ImportedText {
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

    /// The variable in which dlt itself looks: sections in capitals, with two underscores between.
    private static func variable(_ key: String) -> String {
        let parts = key.uppercased().split(separator: ".")
        let name = parts.map { String($0.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }.joined(separator: "__")
        return name.first?.isNumber ?? true ? "_" + name : name
    }
}
