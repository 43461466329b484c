package import Languages

/// Why a person could not see that location is in use, or which button they press: no grant is made then.
package enum LegibilityRestriction: String, Hashable, Sendable, CaseIterable {
  case indicatorMissing = "indicator-missing"
  case indicatorDark = "indicator-dark"
  case indicatorTooDim = "indicator-too-dim"
  case indicatorTooShort = "indicator-too-short"
  case indicatorTooFast = "indicator-too-fast"
  case indicatorLowContrast = "indicator-low-contrast"
  case labelTooSmall = "label-too-small"
  case labelTruncated = "label-truncated"

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .indicatorMissing: "configure an [indicator] whose output can be driven"
    case .indicatorDark: "check the LED and the wiring of its sense input"
    case .indicatorTooDim: "raise the indicator's brightness to 0.2 or more"
    case .indicatorTooShort: "raise the indicator's once_ms to 500 or more"
    case .indicatorTooFast: "use patterns of at most 10 blinks per second that are lit for at least 5 % of the time"
    case .indicatorLowContrast: "choose an LED colour with a contrast of at least 3:1 to the panel"
    case .labelTooSmall: "make the button's label at least 3 mm high"
    case .labelTruncated: "shorten the button's label or give it more width"
    }
  }
}

extension IndicatorProfile {
  /// What the declaration alone fails: brightness, time, patterns and contrast.
  package var restrictions: [LegibilityRestriction] {
    var found: [LegibilityRestriction] = []
    if !(brightness >= 0.2) { found.append(.indicatorTooDim) }
    // A pattern that runs only a few times may end before its time.
    let shown = min(onceDuration, pattern(.inUse).length ?? onceDuration)
    if shown < .milliseconds(500) { found.append(.indicatorTooShort) }
    // The blip for nothing and the two blinks of the lock tell of no location.
    let telling: [Indication] = [.acquiring, .inUse, .background, .prompt]
    if telling.map(pattern).contains(where: { ($0.blinksPerSecond ?? 0) > 10 || $0.duty < 0.05 }) {
      found.append(.indicatorTooFast)
    }
    if colour.contrast(with: panelColour) < 3 { found.append(.indicatorLowContrast) }
    return found
  }
}

extension ButtonProfile {
  /// What the declaration alone fails: the size of the label and whether it fits.
  package var restrictions: [LegibilityRestriction] {
    var found: [LegibilityRestriction] = []
    // Written so that what is no number fails.
    if let labelHeight, !(labelHeight >= 3) { found.append(.labelTooSmall) }
    if labels.contains(where: { $0.excess != nil }) { found.append(.labelTruncated) }
    return found
  }

  /// The label in each language that has a text of its own, the text for all others first.
  package var labels: [LabelText] {
    // A label that has no translation is the label in every language.
    let common = label.map { LabelText(translations.isEmpty ? nil : .english, $0, self) }
    return [common].compactMap { $0 }
      + Language.allCases.compactMap { language in translations[language].map { LabelText(language, $0, self) } }
  }
}

/// The label of a button in one language, and the width that it needs.
package struct LabelText: Hashable, Sendable {
  /// Nil if the text is for all languages.
  package let language: Language?
  package let text: String
  /// The width that the text needs, in millimetres. Nil if the height of its letters is not declared.
  package let needed: Double?
  /// The width that the label has, in millimetres. Nil if it is not declared.
  package let available: Double?

  fileprivate init(_ language: Language?, _ text: String, _ button: ButtonProfile) {
    self.language = language
    self.text = text
    available = button.labelWidth
    // A capital of a sans-serif face is about 0.7 em high and 0.62 em wide, with its marks; the letters of Chinese,
    // Japanese and Korean fill the em.
    needed = button.labelHeight.map { height in
      let em = height / 0.7
      return text.reduce(0.0) { $0 + (Columns.width(of: $1) > 1 ? em : 0.62 * em) }
    }
  }

  /// By how much the text is too long, in millimetres. Nil if it fits, or if that is unknown.
  package var excess: Double? {
    // Written so that a width that is no number is too small.
    guard let needed, let available, !(needed <= available) else { return nil }
    return needed - available
  }
}
