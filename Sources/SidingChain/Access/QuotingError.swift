// SPDX-License-Identifier: Apache-2.0
/// An error that quotes the part of a response that it is about. The response of a token endpoint must not be quoted, as
/// it may contain a new token.
package protocol QuotingError: Error {
    /// What could not be read, without the quotation.
    var place: String { get }
}
