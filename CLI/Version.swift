/// The version of this executable, as CHANGELOG.md tells it.
enum Version {
    static let number = "0.1.0"
    static let text = "siding \(number)"
}
