// swift-tools-version: 6.2
import PackageDescription

// Scripts/fuzz builds and runs this package. Its command line has the flags for the instrumentation, because the decoders
// need them as well.
let package = Package(
  name: "fuzzers",
  dependencies: [.package(name: "onefix", path: "../..")],
  targets: [
    .target(name: "CFuzzer"),
    // One program for all targets, because linking takes as long as building.
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "CFuzzer",
        .product(name: "Base", package: "onefix"),
        .product(name: "Decoding", package: "onefix"),
        .product(name: "FuzzRules", package: "onefix"),
        .product(name: "GNSS", package: "onefix"),
        .product(name: "LineProtocol", package: "onefix"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
