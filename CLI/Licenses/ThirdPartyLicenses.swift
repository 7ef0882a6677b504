// SPDX-License-Identifier: Apache-2.0
/// What `siding --licenses` prints: the third-party licences of the executable.
enum ThirdPartyLicenses {
    /// The file beside this one, which `.ci/licenses` writes, without its last line end: printing adds one.
    static var text: String { String(decoding: PackageResources.ThirdPartyLicenses_txt.dropLast(), as: UTF8.self) }
}
