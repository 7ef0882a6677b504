// SPDX-License-Identifier: Apache-2.0
/// The text of a config, prepared for Yams' composer.
///
/// The composer would expand aliases and reject any map with duplicate keys. To prevent both, the sign of each possible alias is
/// replaced by a private character (one for one, so that positions do not shift), and duplicate keys can be renamed in place.
struct SourceText {
    /// Replaces `*` where it might begin an alias.
    static let aliasSign: Unicode.Scalar = "\u{F0000}"
    /// Replace the first character of a repeated key; each repetition takes the next one.
    private static let renamedSigns: ClosedRange<UInt32> = 0xF0001...0xF00FF

    let file: String
    private var scalars: [Unicode.Scalar]
    private let lineStarts: [Int]
    private var renamedNames: [Place: String] = [:]

    init(_ text: String, file: String) {
        self.file = file
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        lineStarts = Self.lineStarts(scalars)
        self.scalars = scalars
    }

    /// The text for the composer.
    var text: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// The first character that is not allowed in a config.
    var strayCharacter: (place: Place, scalar: Unicode.Scalar)? {
        scalars.firstIndex(where: Self.isStray).map { (place(ofIndex: $0), scalars[$0]) }
    }

    /// Hides aliases from the composer.
    mutating func hideAliases() {
        for index in scalars.indices.dropLast()
        where scalars[index] == "*" && Self.isAnchorCharacter(scalars[index + 1]) {
            scalars[index] = Self.aliasSign
        }
    }

    /// Reverts ``hideAliases()`` in `text`.
    static func restored(_ text: String) -> String {
        guard text.unicodeScalars.contains(aliasSign) else { return text }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text.unicodeScalars.map { $0 == aliasSign ? "*" : $0 })
        return String(view)
    }

    /// Makes the key that begins at `place` unique; false if that is not possible.
    mutating func rename(keyAt place: Place, name: String) -> Bool {
        let serial = UInt32(renamedNames.count)
        guard let start = index(of: place), renamedNames[place] == nil,
            let sign = Unicode.Scalar(Self.renamedSigns.lowerBound + serial), Self.renamedSigns.contains(sign.value)
        else { return false }
        let isQuoted = scalars[start] == "\"" || scalars[start] == "'"
        let target = isQuoted ? start + 1 : start
        guard target < scalars.count, scalars[target] != "\"", scalars[target] != "'",
            !["&", "!", "?", "{", "[", "\n", "\r", Self.aliasSign].contains(scalars[target])
        else { return false }
        scalars[target] = sign
        renamedNames[place] = name
        return true
    }

    /// The original name of a renamed key.
    func renamedName(at place: Place) -> String? { renamedNames[place] }

    /// The character at `place`; nil past the end.
    func character(at place: Place) -> Unicode.Scalar? { index(of: place).map { scalars[$0] } }

    /// The line of `place`, with its line break.
    func line(of place: Place) -> String {
        guard lineStarts.indices.contains(place.line - 1) else { return "" }
        let end = lineStarts.indices.contains(place.line) ? lineStarts[place.line] : scalars.count
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[lineStarts[place.line - 1]..<end])
        return String(view)
    }

    /// The position of the character at `index`.
    func place(ofIndex index: Int) -> Place {
        let line = lineStarts.partitioningIndex { $0 > index }
        return Place(file: file, line: line, column: index - lineStarts[line - 1] + 1)
    }

    /// The position after the last character.
    var end: Place { place(ofIndex: scalars.count) }

    private func index(of place: Place) -> Int? {
        guard place.column >= 1, lineStarts.indices.contains(place.line - 1) else { return nil }
        let index = lineStarts[place.line - 1] + place.column - 1
        return scalars.indices.contains(index) ? index : nil
    }

    /// The starts of lines with all line breaks that libyaml counts, so that its marks agree with positions here.
    private static func lineStarts(_ scalars: [Unicode.Scalar]) -> [Int] {
        var starts = [0]
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\r" where index + 1 < scalars.count && scalars[index + 1] == "\n": break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": starts.append(index + 1)
            default: break
            }
        }
        return starts
    }

    /// Whether YAML forbids the character (YAML 1.2 §5.1), or it is one of the private characters used here.
    private static func isStray(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x85: false
        case 0x00...0x1F, 0x7F...0x9F, 0xFEFF, 0xFFFE, 0xFFFF: true
        case aliasSign.value, renamedSigns: true
        default: false
        }
    }

    static func isAnchorCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}

extension [Int] {
    /// The index of the first element for which `isBeyond` holds, by binary search; it must hold for all elements after it.
    fileprivate func partitioningIndex(_ isBeyond: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
