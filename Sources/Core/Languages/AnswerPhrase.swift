/// Texts that explain the effect of a press and of a hold while a prompt is open.
package enum AnswerPhrase: Phrase {
  case pressAgain, press, once, onceOrTwice, unchanged, refused
  /// The next press of the button answers the question of the prompt.
  case answers
  /// The next press does not answer the question. The press gives a position to the app that waits for a press.
  case serves
  /// The button cannot answer the question.
  case elsewhere
  case hold
  /// A hold (a long press) answers the question with "no" and stops all sharing.
  case holdAndStop
  /// A hold (a long press) stops all sharing, but does not answer the question.
  case stop

  package var texts: Texts {
    switch self {
    case .pressAgain:
      Texts(
        en: "Press again: yes.", de: "Nochmals drücken: ja.", ja: "もう一度押す：はい。", vi: "Nhấn lần nữa: có.",
        zhHans: "再按一次：是。")
    case .press: Texts(en: "Press: yes.", de: "Drücken: ja.", ja: "押す：はい。", vi: "Nhấn: có.", zhHans: "按下：是。")
    case .once:
      Texts(en: "Press: once.", de: "Drücken: einmal.", ja: "押す：1度だけ。", vi: "Nhấn: một lần.", zhHans: "按下：允许一次。")
    case .onceOrTwice:
      Texts(
        en: "Press: once. Press twice: while using.", de: "Drücken: einmal. Zweimal: beim Verwenden.",
        ja: "押す：1度だけ。2度押す：使用中のみ。", vi: "Nhấn: một lần. Nhấn đúp: khi sử dụng.", zhHans: "按下：允许一次。按两下：使用期间。")
    case .unchanged:
      Texts(
        en: "Press: no change.", de: "Drücken: keine Änderung.", ja: "押す：今のまま。", vi: "Nhấn: giữ nguyên như cũ.",
        zhHans: "按下：保持不变。")
    case .refused: Texts(en: "Press: no.", de: "Drücken: nein.", ja: "押す：いいえ。", vi: "Nhấn: không.", zhHans: "按下：否。")
    case .answers:
      Texts(
        en: "The next press answers this.", de: "Der nächste Druck beantwortet das.", ja: "次に押すと、この質問への回答になります。",
        vi: "Lần nhấn tiếp theo trả lời câu hỏi này.", zhHans: "下一次按下将回答此问题。")
    case .serves:
      Texts(
        en: "The next press is for {app}.", de: "Der nächste Druck gilt {app}.", ja: "次に押すと{app}に渡されます。",
        vi: "Lần nhấn tiếp theo là cho {app}.", zhHans: "下一次按下是给{app}的。")
    case .elsewhere:
      Texts(
        en: "The button does not answer this.", de: "Der Knopf beantwortet das nicht.", ja: "ボタンでは回答できません。",
        vi: "Nút không trả lời câu hỏi này.", zhHans: "按钮不回答此问题。")
    case .hold: Texts(en: "Hold: no.", de: "Halten: nein.", ja: "長押し：いいえ。", vi: "Giữ: không.", zhHans: "长按：否。")
    case .holdAndStop:
      Texts(
        en: "Hold: no, and stop all sharing.", de: "Halten: nein, und alles Teilen beenden.", ja: "長押し：いいえ、すべての共有を停止。",
        vi: "Giữ: không, và dừng mọi chia sẻ.", zhHans: "长按：否，并停止所有分享。")
    case .stop:
      Texts(
        en: "Hold: stop all sharing.", de: "Halten: alles Teilen beenden.", ja: "長押し：すべての共有を停止。",
        vi: "Giữ: dừng mọi chia sẻ.", zhHans: "长按：停止所有分享。")
    }
  }

  /// The maximum width in columns. The text is printed beside a label.
  package var room: Int? { 68 }
}
