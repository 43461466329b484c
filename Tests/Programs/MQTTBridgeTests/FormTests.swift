import Base
import Foundation
import GNSS
import LineProtocol
import Ports
import Testing

import RecordingClients

@testable import Features

@Suite struct FormTests {
  private let topics = BridgeTopics(gateway: "boat", app: "ferry")
  private let report = FixReport(
    coordinate: Coordinate(latitude: 47.376888, longitude: 8.541694)!, horizontalAccuracy: 2.9, accuracy: .full)

  private func form(ownTracks: OwnTracks? = nil, recipient: RecipientKey? = nil) -> BridgeForm {
    BridgeForm(
      broker: "mqtt://127.0.0.1:1883", topics: topics, expires: .seconds(60), recipient: recipient,
      ownTracks: ownTracks)
  }

  private func fix(_ report: FixReport, _ id: String) -> PublishedFix {
    PublishedFix(report, id: id, isByPress: true, disclosed: UTCTime(nanosecondsSince1970: 0))
  }

  private func payload(_ form: BridgeForm, _ id: String) throws -> String {
    let messages = try form.messages(fix(report, id))
    #expect(messages.map(\.topic) == ["onefix/boat/ferry/fix"])
    return String(decoding: messages[0].payload, as: UTF8.self)
  }

  @Test func `a fix is the line protocol's object with the request's id before it`() throws {
    #expect(try payload(form(), "a-1") == "{\"id\":\"a-1\"," + report.json.dropFirst())
    #expect(form().name == "mqtt://127.0.0.1:1883 ferry")
  }

  @Test func `a name has a message of its own beside the object, unless fixes are encrypted`() throws {
    let fix = fix(FixReport(place: "harbour", time: UTCTime(nanosecondsSince1970: 0)), "a-1")
    #expect(
      try form().messages(fix) == [
        .init(
          topic: "onefix/boat/ferry/fix",
          payload: Array(#"{"id":"a-1","time":"1970-01-01T00:00:00.000Z","place":"harbour","accuracy":"place"}"#.utf8)),
        .init(topic: "onefix/boat/ferry/place", payload: Array("harbour".utf8)),
      ])
    let sealing = form(recipient: RecipientKey(AppKeyPair().text))
    #expect(try sealing.messages(fix).map(\.topic) == ["onefix/boat/ferry/fix"])
  }

  @Test func `messages for other programs follow a fix`() throws {
    let messages = try form(ownTracks: OwnTracks(topics)).messages(fix(report, "a"))
    #expect(messages.map(\.topic) == ["onefix/boat/ferry/fix", "owntracks/boat/ferry"])
  }

  @Test func `without the key, a sealed fix reveals only its id`() throws {
    let form = form(recipient: RecipientKey(AppKeyPair().text))
    let sealed = try payload(form, "a-1")
    #expect(sealed.hasPrefix(#"{"id":"a-1","sealed":""#) && !sealed.contains("lat") && !sealed.contains("47.3"))
    // Each encryption uses a new key.
    #expect(try payload(form, "a-1") != sealed)
  }

  @Test func `sealed names of places have one length, and the names can be read as JSON`() throws {
    let key = AppKeyPair()
    let recipient = try #require(RecipientKey(key.text))
    var lengths: Set<Int> = []
    for name in ["away", "harbour", String(repeating: "x", count: 64)] {
      let json = #"{"id":"a-1","time":"2026-11-21T07:30:00.000Z","place":"\#(name)","accuracy":"place"}"#
      let payload = recipient.seal(json, id: "a-1")
      lengths.insert(payload.utf8.count)
      let object = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: String]
      let sealed = try #require(object?["sealed"])
      let opened = try #require(key.open(sealed, id: "a-1"))
      #expect(opened.utf8.count == RecipientKey.lengthClass)
      #expect((try JSONSerialization.jsonObject(with: Data(opened.utf8)) as? [String: String])?["place"] == name)
    }
    #expect(lengths.count == 1)
  }

  @Test(arguments: ["", "abc", String(repeating: "A", count: 43), String(repeating: "=", count: 43)])
  func `an invalid public key is rejected`(text: String) {
    #expect(RecipientKey(text) == nil)
  }
}
