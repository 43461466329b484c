/// Notifications to owners: about questions, about regions, and about the kill switch that stops all sharing.
package enum NotificationPhrase: Phrase {
  /// The phrase quotes a text that comes from an app.
  case says
  case answerWith, answerWithAccuracy, nothingAsked, yesAtButton, noAtButton, yesByOwner, noByOwner, unanswered
  case withdrawn, locked, answered, entered, left, nowLocked, reloaded, restartFor

  package var texts: Texts {
    switch self {
    case .says:
      Texts(
        en: "{app} says: “{text}”", de: "{app} sagt: „{text}“", ja: "{app}の説明：「{text}」", vi: "{app} nói: “{text}”",
        zhHans: "{app}说：“{text}”")
    case .answerWith:
      Texts(
        en: "Answer: {value}", de: "Antwort: {value}", ja: "回答：{value}", vi: "Trả lời: {value}", zhHans: "回答：{value}")
    case .answerWithAccuracy:
      Texts(
        en: "Accuracy: {value}", de: "Genauigkeit: {value}", ja: "精度：{value}", vi: "Độ chính xác: {value}",
        zhHans: "精度：{value}")
    case .nothingAsked:
      Texts(
        en: "No question is open.", de: "Es ist keine Frage offen.", ja: "質問はありません。", vi: "Không có câu hỏi nào.",
        zhHans: "没有提问。")
    case .yesAtButton:
      Texts(
        en: "{app}: answered at the button: yes", de: "{app}: am Knopf beantwortet: ja", ja: "{app}：ボタンで回答：はい",
        vi: "{app}: đã trả lời bằng nút: có", zhHans: "{app}：已用按钮回答：是")
    case .noAtButton:
      Texts(
        en: "{app}: answered at the button: no", de: "{app}: am Knopf beantwortet: nein", ja: "{app}：ボタンで回答：いいえ",
        vi: "{app}: đã trả lời bằng nút: không", zhHans: "{app}：已用按钮回答：否")
    case .yesByOwner:
      Texts(
        en: "{app}: answered by another owner: yes", de: "{app}: von jemand anderem beantwortet: ja",
        ja: "{app}：他の管理者が回答：はい", vi: "{app}: chủ khác đã trả lời: có", zhHans: "{app}：已由其他管理者回答：是")
    case .noByOwner:
      Texts(
        en: "{app}: answered by another owner: no", de: "{app}: von jemand anderem beantwortet: nein",
        ja: "{app}：他の管理者が回答：いいえ", vi: "{app}: chủ khác đã trả lời: không", zhHans: "{app}：已由其他管理者回答：否")
    case .unanswered:
      Texts(
        en: "{app}: no answer", de: "{app}: keine Antwort", ja: "{app}：回答なし", vi: "{app}: không ai trả lời",
        zhHans: "{app}：无人回答")
    case .withdrawn:
      Texts(
        en: "{app}: question withdrawn", de: "{app}: Frage zurückgezogen", ja: "{app}：質問は取り消されました",
        vi: "{app}: không còn hỏi nữa", zhHans: "{app}：提问已撤回")
    case .locked:
      Texts(
        en: "{app}: question cancelled by the lock", de: "{app}: Frage durch die Sperre beendet",
        ja: "{app}：ロックのため質問を中止", vi: "{app}: đã khóa nên không hỏi", zhHans: "{app}：已锁定，提问取消")
    case .answered:
      Texts(
        en: "{app}: {value}", de: "{app}: {value}", ja: "{app}：{value}", vi: "{app}: {value}", zhHans: "{app}：{value}")
    case .entered:
      Texts(
        en: "{app}: region {region} was entered", de: "{app}: Gebiet {region} betreten", ja: "{app}：領域 {region} に入りました",
        vi: "{app}: đã vào vùng {region}", zhHans: "{app}：已进入区域 {region}")
    case .left:
      Texts(
        en: "{app}: region {region} was left", de: "{app}: Gebiet {region} verlassen", ja: "{app}：領域 {region} から出ました",
        vi: "{app}: đã rời vùng {region}", zhHans: "{app}：已离开区域 {region}")
    case .reloaded:
      Texts(
        en: "The configuration was reloaded.", de: "Die Konfiguration wurde neu geladen.", ja: "設定を読み直しました。",
        vi: "Đã đọc lại cấu hình.", zhHans: "已重新读取配置。")
    case .restartFor:
      Texts(
        en: "After the next start: {text}", de: "Nach dem nächsten Start: {text}", ja: "次回の起動から有効：{text}",
        vi: "Có hiệu lực từ lần khởi động sau: {text}", zhHans: "下次启动后生效：{text}")
    case .nowLocked:
      Texts(
        en: "Locked: nothing is shared until the button is held.",
        de: "Gesperrt: nichts wird geteilt, bis der Knopf gehalten wird.", ja: "ロックしました。ボタンを長押しするまで何も渡しません。",
        vi: "Đã khóa: không cung cấp gì cho đến khi giữ nút.", zhHans: "已锁定：在长按按钮之前不提供任何位置。")
    }
  }
}
