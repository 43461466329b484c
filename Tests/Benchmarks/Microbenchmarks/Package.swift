// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "onefix", path: "../../..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CAllocations",
        .product(name: "Clocks", package: "onefix"),
        .product(name: "Estimation", package: "onefix"),
        .product(name: "Framing", package: "onefix"),
        .product(name: "GNSS", package: "onefix"),
        .product(name: "LineProtocol", package: "onefix"),
        .product(name: "NMEA", package: "onefix"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
