// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Why a value cannot be encoded: its type and place, never the value itself.
struct UnencodableValue: Error {
    /// The Swift type that could not be encoded.
    let type: String
    let path: [any CodingKey]
    /// The rest of a sentence that begins with the type.
    let why: String
}

extension Failure {
    /// The failure of encoding a model of type `model`. It names types and the coding path, never a value.
    ///
    /// An `EncodingError` is not kept as the underlying error, because it holds the value. Other errors, which the model's
    /// own code threw, are kept.
    static func unencodable(_ error: any Error, in model: Any.Type) -> Failure {
        switch error {
        case let fault as UnencodableValue:
            unencodable(model, fault.type, fault.path, fault.why)
        case EncodingError.invalidValue(let value, let context):
            unencodable(model, String(describing: type(of: value)), context.codingPath, "has no form in this encoding")
        case is EncodingError:
            Failure(.invalidRequest, phase: .notSent, detail: "\(model) cannot be encoded")
        default:
            wrapping(error, phase: .notSent)
        }
    }

    private static func unencodable(
        _ model: Any.Type, _ type: String, _ path: [any CodingKey], _ why: String
    ) -> Failure {
        let place = path.isEmpty ? "at its root" : "at '\(CodingPath.text(path))'"
        return Failure(
            .invalidRequest, phase: .notSent, detail: "\(model) cannot be encoded: the \(type) \(place) \(why)")
    }
}

/// Formats coding paths for people.
enum CodingPath {
    /// `items[2].price`: keys joined by dots, positions in brackets.
    static func text(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            // The standard encoders and this one name list positions like this.
            if let index = key.intValue, key.stringValue == "Index \(index)" {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }
}

/// A key of a coding path: a member's name or a position in a list.
struct CodingPathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        (self.stringValue, self.intValue) = (stringValue, nil)
    }

    init(intValue: Int) {
        (self.stringValue, self.intValue) = ("Index \(intValue)", intValue)
    }
}
