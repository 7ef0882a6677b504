// SPDX-License-Identifier: Apache-2.0
/// The version of this executable, the newest in CHANGELOG.md.
enum Version {
    static let number = "0.1.0"
    static let text = "siding \(number)"
}
