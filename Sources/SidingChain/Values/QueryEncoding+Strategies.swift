// SPDX-License-Identifier: Apache-2.0
extension QueryEncoding {
    /// How Booleans are written: `.asInt`, `.asBool`, or a type of your own.
    ///
    /// ```swift
    /// struct YesOrNo: QueryEncoding.BoolStrategy {
    ///     func text(of value: Bool) -> String { value ? "yes" : "no" }
    /// }
    /// ```
    public protocol BoolStrategy: Sendable, Hashable {
        /// The text of a Boolean; it is percent-encoded later.
        func text(of value: Bool) -> String
    }

    /// How lists are written: `.brackets`, `.noBrackets`, `.comma`, or a type of your own.
    public protocol ArrayStrategy: Sendable, Hashable {
        /// The name of the parameter of one item, such as `tags[]`; it is percent-encoded later.
        ///
        /// - Parameters:
        ///   - place: the item's place in the list, from 0.
        ///   - list: the name of the list, such as `tags`.
        func itemName(_ place: Int, of list: String) -> String

        /// Whether the items share the list's own parameter, joined by commas; false by default. A list that holds lists or
        /// objects has no such form, and is written item by item.
        var joinsItems: Bool { get }
    }

    /// How objects are written: `.brackets`, `.dots`, or a type of your own.
    public protocol DictionaryStrategy: Sendable, Hashable {
        /// The name of the parameter of one member, such as `d[age]`; it is percent-encoded later.
        ///
        /// - Parameters:
        ///   - member: the member's name, such as `age`.
        ///   - object: the name of the object, such as `d`.
        func memberName(_ member: String, of object: String) -> String
    }

    /// The strategies for Booleans that are ready to use.
    public struct BoolStyle: BoolStrategy {
        fileprivate let isNumber: Bool

        public func text(of value: Bool) -> String { isNumber ? (value ? "1" : "0") : (value ? "true" : "false") }
    }

    /// The strategies for lists that are ready to use.
    public struct ArrayStyle: ArrayStrategy {
        fileprivate let suffix: String
        public fileprivate(set) var joinsItems = false

        public func itemName(_ place: Int, of list: String) -> String { list + suffix }
    }

    /// The strategies for objects that are ready to use.
    public struct DictionaryStyle: DictionaryStrategy {
        fileprivate let usesDots: Bool

        public func memberName(_ member: String, of object: String) -> String {
            usesDots ? "\(object).\(member)" : "\(object)[\(member)]"
        }
    }
}

extension QueryEncoding.BoolStrategy where Self == QueryEncoding.BoolStyle {
    /// `1` and `0`.
    public static var asInt: Self { Self(isNumber: true) }

    /// `true` and `false`.
    public static var asBool: Self { Self(isNumber: false) }
}

extension QueryEncoding.ArrayStrategy {
    public var joinsItems: Bool { false }
}

extension QueryEncoding.ArrayStrategy where Self == QueryEncoding.ArrayStyle {
    /// `a[]=1&a[]=2`, the brackets encoded.
    public static var brackets: Self { Self(suffix: "[]") }

    /// `a=1&a=2`
    public static var noBrackets: Self { Self(suffix: "") }

    /// `a=1,2`, each item encoded; a list that holds lists or objects has no such form and is written with brackets.
    public static var comma: Self { Self(suffix: "[]", joinsItems: true) }
}

extension QueryEncoding.DictionaryStrategy where Self == QueryEncoding.DictionaryStyle {
    /// `d[age]=23`, the brackets encoded.
    public static var brackets: Self { Self(usesDots: false) }

    /// `d.age=23`
    public static var dots: Self { Self(usesDots: true) }
}
