// swift-tools-version: 6.2
import PackageDescription

// The instrumentation is wanted in the decoder as well, so it stands on the command line:
//
//   flags="-Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library -Xswiftc -use-ld=lld"
//   swift build -c release $flags && .build/release/FuzzDecoder -max_len=4096 -max_total_time=60 Corpus
let package = Package(
  name: "fuzzers",
  dependencies: [.package(name: "onefix", path: "../..")],
  targets: [
    .target(name: "CFuzzer"),
    .executableTarget(
      name: "FuzzDecoder",
      dependencies: [
        "CFuzzer",
        .product(name: "Clocks", package: "onefix"),
        .product(name: "Framing", package: "onefix"),
        .product(name: "GNSS", package: "onefix"),
        .product(name: "NMEA", package: "onefix"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
