// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "onefix", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "Base", package: "onefix"), .product(name: "GNSS", package: "onefix"),
        .product(name: "Decoding", package: "onefix"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
