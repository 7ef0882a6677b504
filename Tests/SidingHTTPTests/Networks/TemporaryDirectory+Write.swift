import FoundationEssentials
import SidingTesting

extension TemporaryDirectory {
    /// Writes `text` into the file `name`, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(of: name)))
        return path(of: name)
    }
}
