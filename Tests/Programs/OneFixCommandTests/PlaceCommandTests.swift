import ArgumentParser
import Base
import LineProtocol
import Testing

@testable import onefix

@Suite struct PlaceCommandTests {
  @Test(arguments: [
    (["harbour", "--radius", "300"], ["harbour", "300"]),
    (["harbour", "--radius", "300", "--at", "47.3665,8.5415"], ["harbour", "300", "47.3665", "8.5415"]),
    (["harbour", "--radius", "300", "--at", " 47.3665, 8.5415 "], ["harbour", "300", "47.3665", "8.5415"]),
    (["harbour", "--radius", "300", "--at", "8 5,17 5"], ["harbour", "300", "8 5", "17 5"]),
    (["harbour", "--radius", "300", "--at", "-33.86,151.21"], ["harbour", "300", "-33.86", "151.21"]),
    (["harbour", "--at", "-33.86,-151.21", "--radius", "300"], ["harbour", "300", "-33.86", "-151.21"]),
    (["harbour", "--radius", "300", "--at=-33.86,151.21"], ["harbour", "300", "-33.86", "151.21"]),
  ])
  func `a place can have any centre, also south of the equator`(arguments: [String], words: [String]) throws {
    #expect(try AddPlaceCommand.parse(arguments).words == ["place", "add"] + words)
  }

  @Test func `the centre can come from standard input`() throws {
    #expect(try AddPlaceCommand.parse(["harbour", "--radius", "300", "--at", "-"]).at == "-")
  }

  @Test(arguments: [
    (["x", "--radius", "far"], "“far” is not a valid number."),
    (
      ["x", "--radius", "300", "--at", "95,8"],
      "“95” is not possible here: latitude -90 to 90, longitude -180 to 180."
    ),
    (
      ["x", "--radius", "300", "--at", "8,east"],
      "“east” is not possible here: latitude -90 to 90, longitude -180 to 180."
    ),
    (["x", "--radius", "300", "--at", "47"], "The value is missing."),
  ])
  func `an error of a place names the syntax of the shell`(arguments: [String], cause: String) throws {
    let command = try AddPlaceCommand.parse(arguments)
    let error = try #require(throws: VerbError.self) { try OwnerVerb(words: command.words) }
    #expect(
      AddPlaceCommand.text(of: error, in: .english)
        == "\(cause) Usage: place add NAME --radius METRES [--at LATITUDE,LONGITUDE]")
  }
}
