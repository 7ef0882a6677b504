// SPDX-License-Identifier: Apache-2.0
extension KeyEvidence {
    /// The keys of a target of `publish`.
    static let publish = """
        Tests/SidingManifestTests/Grammar/PublishGrammarTests.swift
          publish
          publish.NAME.every
          publish.NAME.password
          publish.NAME.password.command
          publish.NAME.password.env
          publish.NAME.password.file
          publish.NAME.resources
          publish.NAME.schema
          publish.NAME.station
          publish.NAME.to
        """
}
