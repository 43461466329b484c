import Base
import Testing

private func placeholders(_ text: String) -> [String] {
  text.matches(of: /\{([^{}]*)\}/).map { String($0.1) }.sorted()
}

private func every(_ body: (any Phrase, Language, String) -> Void) {
  for phrase in PhraseTable.phrases {
    for language in Language.allCases { body(phrase, language, phrase.texts[language]) }
  }
}

@Test func `every phrase has a text in every language, without control characters`() {
  every { phrase, language, text in
    #expect(!text.isEmpty && text.first != " " && text.last != " ", "\(phrase) \(language)")
    #expect(text.unicodeScalars.allSatisfy { $0.isPlain }, "\(phrase) \(language)")
  }
}

@Test func `every phrase has the same placeholders in every language, and each has a value`() {
  let known = Set(Placeholder.allCases.map(\.rawValue))
  every { phrase, language, text in
    #expect(placeholders(text) == placeholders(phrase.texts[.english]), "\(phrase) \(language)")
    #expect(known.isSuperset(of: placeholders(text)), "\(phrase) \(language)")
    #expect(
      text.count { $0 == "{" } == placeholders(text).count && text.count { $0 == "}" } == placeholders(text).count)
  }
}

/// The longest name of an app.
private let longestName = String(repeating: "公", count: 20)

@Test func `every phrase with a limit fits, with the longest name`() {
  every { phrase, language, _ in
    guard let room = phrase.room else { return }
    let text = phrase.text(in: language, [.app: longestName])
    #expect(Columns.width(of: text) <= room, "\(phrase) \(language): \(text)")
  }
}

@Test func `the name in a question is not cut on a display of 80 columns`() {
  for phrase in PromptPhrase.allCases {
    for language in Language.allCases {
      let text = phrase.text(in: language, [.app: longestName])
      #expect(Columns.clipped(text, to: 68).contains(longestName), "\(phrase) \(language)")
    }
  }
}

@Test func `sentences differ from language to language`() {
  for phrase in PhraseTable.phrases {
    // Words such as “App” and “Text” are the same in several languages, and so are texts of only a placeholder and a
    // colon.
    let texts = Language.allCases.map { phrase.texts[$0] }
    let letters = texts.map { $0.replacing(/\{[^{}]*\}/, with: "").filter(\.isLetter) }
    guard letters[0].count > 12 else { continue }
    #expect(Set(texts).count == texts.count, "\(phrase)")
  }
}

@Test func `questions, colons and lists have the punctuation of their language`() {
  every { phrase, language, text in
    guard !language.setsSpaces else { return }
    #expect(!["?", "!", ", ", ": ", "。 ", "？ "].contains { text.contains($0) }, "\(phrase) \(language): \(text)")
  }
  #expect(Language.vietnamese.list(["a", "b"]) == "a, b" && Language.simplifiedChinese.list(["a", "b"]) == "a、b")
}

@Test func `each language uses its own script`() {
  func uses(_ range: ClosedRange<UInt32>, _ text: String) -> Bool {
    text.unicodeScalars.contains { range.contains($0.value) }
  }
  every { phrase, language, text in
    let isKana = uses(0x3040...0x30FF, text)
    let isHan = uses(0x4E00...0x9FFF, text)
    switch language {
    case .english, .german, .vietnamese: #expect(!isKana && !isHan, "\(phrase) \(language)")
    case .simplifiedChinese: #expect(!isKana, "\(phrase) \(language)")
    case .japanese: #expect(isKana || isHan || !text.contains { $0.isLetter && !$0.isASCII }, "\(phrase) \(language)")
    }
  }
}

@Test func `the help of all verbs, the statuses and the choices are distinct in every language`() {
  let kinds: [[any Phrase]] = [
    VerbPhrase.allCases, StatusPhrase.allCases, ChoicePhrase.allCases, PromptPhrase.allCases, AccuracyPhrase.allCases,
  ]
  for phrases in kinds {
    for language in Language.allCases { #expect(Set(phrases.map { $0.texts[language] }).count == phrases.count) }
  }
}

@Test func `a value replaces its placeholder once, and placeholders inside it are not replaced`() {
  #expect(PromptPhrase.authorize.text(in: .english, [.app: "a{app}"]) == "Share this location with a{app}?")
  #expect(PromptPhrase.authorize.text(in: .japanese, [.app: "ferry"]) == "ferryに現在地を知らせますか？")
  #expect(NotificationPhrase.says.text(in: .german, [.app: "ferry", .text: "{app}"]) == "ferry sagt: „{app}“")
}
