import Foundation
import LineProtocol
import Repository
import Testing

@Test func `every refusal is in onefix-protocol(7), with its number, and no other`() throws {
  let page = "\(Repository.root)/Sources/Documentation/man/onefix-protocol.7"
  let told = try String(contentsOfFile: page, encoding: .utf8).split(separator: "\n")
    .filter { $0.hasPrefix(".It Li ") && $0.dropFirst(7).first?.isNumber == true }.map { String($0.dropFirst(7)) }
  #expect(told == ErrorCode.allCases.map { "\($0.rawValue) \($0.slug)" })
}
