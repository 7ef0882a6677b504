extension JSONPath {
    /// The names of nested members, outermost first; nil where the path counts elements, means several values, or is the
    /// whole document.
    public var memberNames: [String]? {
        let names = components.compactMap { component -> String? in
            if case .member(let name) = component { name } else { nil }
        }
        return names.isEmpty || names.count < components.count ? nil : names
    }
}

extension JSONDocument {
    /// The document with `value` at the end of nested members. Members on the way that are missing, or no objects, are made
    /// objects; all others keep their bytes and their places, and a new one comes last.
    public func setting(_ names: [String], to value: JSONDocument) -> JSONDocument { setting(names[...], to: value) }

    private func setting(_ names: ArraySlice<String>, to value: JSONDocument) -> JSONDocument {
        guard let name = names.first else { return value }
        var members = members ?? []
        let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        let inner = place.map { members[$0].value } ?? .emptyObject
        let member = (name: name, value: inner.setting(names.dropFirst(), to: value))
        if let place { members[place] = member } else { members.append(member) }
        return JSONDocument(members: members)
    }

    /// An object of values, each as it is, in this order.
    private init(members: [(name: String, value: JSONDocument)]) {
        var bytes = [UInt8(ascii: "{")]
        for (name, value) in members {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: JSONDocument(string: name).bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: value.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(kind: .object, checked: bytes[...])
    }
}
