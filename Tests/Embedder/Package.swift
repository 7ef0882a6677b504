// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// A program of somebody else: a server of Hummingbird that embeds Siding, without what only the command line needs.
let package = Package(
    name: "embedder",
    dependencies: [
        .package(name: "siding", path: "../..", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Embedder",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "SidingKit", package: "siding"),
            ],
            path: "Sources")
    ]
)
