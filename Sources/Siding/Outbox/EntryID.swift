/// Makes the public ids of queue entries: 26 random characters of Crockford's base 32, which has no letters that look alike.
enum EntryID {
    static let length = 26
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    static func random(using generator: inout some RandomNumberGenerator) -> String {
        String((0..<length).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
    }
}
