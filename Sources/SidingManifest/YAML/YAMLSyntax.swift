// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import Yams

/// Turns Yams' syntax errors into faults with positions.
enum YAMLSyntax {
    static func fault(_ error: any Error, in text: SourceText) -> Fault {
        guard let error = error as? YamlError else { return Fault(place: start(text), message: "not YAML") }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return fault(problem, context?.text, at: place(of: mark, context?.mark, text), text)
        case .memory:
            return Fault(place: start(text), message: "there was not enough memory to read it")
        case .no, .reader, .writer, .emitter, .representer, .dataCouldNotBeDecoded, .duplicatedKeysInMapping:
            return Fault(place: start(text), message: "not YAML")
        }
    }

    /// The position of an error; for an unclosed quote or bracket that of its opening instead of the end of the file.
    private static func place(of mark: Mark, _ opening: Mark?, _ text: SourceText) -> Place {
        for candidate in [mark, opening].compactMap(\.self) {
            let place = Place(file: text.file, line: candidate.line, column: candidate.column)
            if text.character(at: place) != nil { return place }
        }
        return text.end
    }

    private static func start(_ text: SourceText) -> Place { text.place(ofIndex: 0) }

    private static func fault(_ problem: String, _ context: String?, at place: Place, _ text: SourceText) -> Fault {
        if problem.contains("another document") {
            return Fault(place: place, message: "a second document begins here", expected: "one document")
        }
        if problem.lowercased().contains("maximum nesting level") {
            return Fault(place: place, message: "nested more than \(YAMLTree.maximumHeight) levels deep")
        }
        if text.character(at: place) == "\t" {
            return Fault(place: place, message: "a tab cannot indent YAML", expected: "spaces")
        }
        let during = context.map { " (\($0))" } ?? ""
        return Fault(place: place, message: "not YAML: \(problem)\(during)", expected: hint(problem, at: place, text))
    }

    private static func hint(_ problem: String, at place: Place, _ text: SourceText) -> String? {
        switch problem {
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'",
            "did not find expected alphabetic or numeric character":
            if let path = unquotedPath(in: SourceText.restored(text.line(of: place))) {
                return "quotes around the path, as it is inside braces: \"\(PlainText.oneLine(path, limit: 100))\""
            }
        default: break
        }
        return hint(problem)
    }

    /// A JSON path or a path with brackets or braces, which YAML takes for its own inside braces; nil if the line has none.
    private static func unquotedPath(in line: String) -> String? {
        let path = /[\s,:{\[]([$\/][^\s,"'#\[\]{}]*(?:(?:\[[^\]\s,"']*\]|\{[^}\s,"']*\})[^\s,"'#\[\]{}]*)+)/
        return line.firstMatch(of: path).map { String($0.output.1) }
    }

    private static func hint(_ problem: String) -> String? {
        switch problem {
        case "mapping values are not allowed in this context":
            "quotes around a value that holds ': ', or the indentation of the lines above"
        case "did not find expected key": "a key at the indentation of the keys above"
        case "could not find expected ':'": "'key: value'"
        case "found character that cannot start any token": "quotes around a value that begins with @, ` or %"
        case "found unexpected end of stream": "a closing quote further on"
        case "did not find expected ',' or '}'": "a comma, or a closing brace further on"
        case "did not find expected ',' or ']'": "a comma, or a closing bracket further on"
        default: nil
        }
    }
}
