extension JSONDocument {
    public static let null = JSONDocument(kind: .null, checked: Array("null".utf8)[...])
    /// `{}`, which stands for "nothing was said" where a consumer asks for it; never for an empty list.
    public static let emptyObject = JSONDocument(object: [:])

    /// An array of values, each as it is.
    public init(array elements: [JSONDocument]) {
        var bytes = [UInt8(ascii: "[")]
        bytes.reserveCapacity(elements.reduce(2) { $0 + $1.bytes.count + 1 })
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: element.bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        self.init(kind: .array, checked: bytes[...])
    }

    /// An object of values, each as it is, sorted by name: equal members always give equal bytes.
    public init(object members: [String: JSONDocument]) {
        var bytes = [UInt8(ascii: "{")]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: JSONDocument(string: name).bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: value.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(kind: .object, checked: bytes[...])
    }

    public init(string text: String) {
        var writer = JSONWriter()
        writer.string(text)
        self.init(kind: .string, checked: writer.bytes[...])
    }

    public init(integer number: some BinaryInteger) {
        self.init(kind: .number, checked: Array(String(number).utf8)[...])
    }

    public init(bool value: Bool) {
        self.init(kind: value ? .true : .false, checked: Array(String(value).utf8)[...])
    }
}
