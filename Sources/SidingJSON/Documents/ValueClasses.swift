/// Numbers the values of several documents so that two have the same number exactly if they are equal in meaning.
///
/// Each value is looked at once, from the innermost out, and an array or object is known by the numbers of what it holds:
/// that two large values are equal or not is then told at once, at every depth, and no hash is taken for a proof.
struct ValueClasses {
    private var texts: [DecodedText: Int] = [:]
    private var numbers: [DecodedText: Int] = [:]
    private var containers: [[Int]: Int] = [:]
    /// 0, 1 and 2 are null, false and true.
    private var count = 3

    /// One number for each node.
    mutating func numbers(of tape: JSONTape) -> [Int] {
        var classes = Array(repeating: 0, count: tape.nodes.count)
        for node in tape.nodes.indices.reversed() { classes[node] = number(of: node, in: tape, classes) }
        return classes
    }

    private mutating func number(of node: Int, in tape: JSONTape, _ classes: [Int]) -> Int {
        switch tape.nodes[node].kind {
        case .null: return 0
        case .false: return 1
        case .true: return 2
        case .string: return number(of: tape.string(of: node))
        case .number:
            return Self.find(DecodedText(ExactNumber.spelling(of: tape.text(of: node))), in: &numbers, &count)
        case .array:
            return Self.find([0] + tape.children(of: node).map { classes[$0] }, in: &containers, &count)
        case .object:
            var members: [(name: Int, value: Int)] = []
            for child in tape.children(of: node) {
                members.append((number(of: tape.name(of: child)), classes[child]))
            }
            members.sort { $0.name < $1.name }
            return Self.find([1] + members.flatMap { [$0.name, $0.value] }, in: &containers, &count)
        }
    }

    private mutating func number(of text: DecodedText) -> Int { Self.find(text, in: &texts, &count) }

    /// The number that is known for the key, or the next one.
    private static func find<Key: Hashable>(_ key: Key, in known: inout [Key: Int], _ count: inout Int) -> Int {
        let next = count
        // Read and set in one: a lookup costs more than all else here.
        let number = Self.value(&known[key, default: next])
        if number == next { count += 1 }
        return number
    }

    private static func value(_ place: inout Int) -> Int { place }
}

extension JSONDocument {
    /// Whether both mean the same: numbers by their exact decimal value (`1.0` is `1e0`, `-0` is `0`), strings and names by
    /// their decoded text, objects whatever the order of their members, arrays element by element.
    ///
    /// `==` compares bytes. Takes time in proportion to both.
    public func isEquivalent(to other: JSONDocument) -> Bool {
        if self == other { return true }
        guard kind == other.kind else { return false }
        var classes = ValueClasses()
        return classes.numbers(of: JSONTape(self)).first == classes.numbers(of: JSONTape(other)).first
    }
}
