import ArgumentParser
import Testing

@testable import onefix

@Suite struct PlaceCommandTests {
  @Test(arguments: [
    (["harbour", "--radius", "300"], ["harbour", "300"]),
    (["harbour", "--radius", "300", "--at", "47.3665,8.5415"], ["harbour", "300", "47.3665", "8.5415"]),
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
}
