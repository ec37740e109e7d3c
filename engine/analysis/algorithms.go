package analysis

import (
	"github.com/jetseek/jetseek/engine/analysis/snowball/arabic"
	"github.com/jetseek/jetseek/engine/analysis/snowball/armenian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/basque"
	"github.com/jetseek/jetseek/engine/analysis/snowball/catalan"
	"github.com/jetseek/jetseek/engine/analysis/snowball/czech"
	"github.com/jetseek/jetseek/engine/analysis/snowball/danish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/dutch"
	"github.com/jetseek/jetseek/engine/analysis/snowball/english"
	"github.com/jetseek/jetseek/engine/analysis/snowball/esperanto"
	"github.com/jetseek/jetseek/engine/analysis/snowball/estonian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/finnish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/french"
	"github.com/jetseek/jetseek/engine/analysis/snowball/german"
	"github.com/jetseek/jetseek/engine/analysis/snowball/greek"
	"github.com/jetseek/jetseek/engine/analysis/snowball/hindi"
	"github.com/jetseek/jetseek/engine/analysis/snowball/hungarian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/indonesian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/irish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/italian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/lithuanian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/nepali"
	"github.com/jetseek/jetseek/engine/analysis/snowball/norwegian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/persian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/polish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/porter"
	"github.com/jetseek/jetseek/engine/analysis/snowball/portuguese"
	"github.com/jetseek/jetseek/engine/analysis/snowball/romanian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/russian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/serbian"
	"github.com/jetseek/jetseek/engine/analysis/snowball/sesotho"
	"github.com/jetseek/jetseek/engine/analysis/snowball/spanish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/swedish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/tamil"
	"github.com/jetseek/jetseek/engine/analysis/snowball/turkish"
	"github.com/jetseek/jetseek/engine/analysis/snowball/yiddish"
	"github.com/jetseek/jetseek/engine/analysis/stopwords"
)

// languages are the analyzers of Snowball's languages, and of Porter's older algorithm for English, by name ascending. It is never changed.
var languages = [...]language{
	{"arabic", arabic.Stem, none},
	{"armenian", armenian.Stem, none},
	{"basque", basque.Stem, none},
	{"catalan", catalan.Stem, none},
	{"czech", czech.Stem, none},
	{"danish", danish.Stem, stopwords.Danish},
	{"dutch", dutch.Stem, stopwords.Dutch},
	{"english", english.Stem, isEnglishStopWord},
	{"esperanto", esperanto.Stem, none},
	{"estonian", estonian.Stem, none},
	{"finnish", finnish.Stem, stopwords.Finnish},
	{"french", french.Stem, stopwords.French},
	{"german", german.Stem, stopwords.German},
	{"greek", greek.Stem, none},
	{"hindi", hindi.Stem, none},
	{"hungarian", hungarian.Stem, stopwords.Hungarian},
	{"indonesian", indonesian.Stem, stopwords.Indonesian},
	{"irish", irish.Stem, stopwords.Irish},
	{"italian", italian.Stem, stopwords.Italian},
	{"lithuanian", lithuanian.Stem, none},
	{"nepali", nepali.Stem, none},
	{"norwegian", norwegian.Stem, stopwords.Norwegian},
	{"persian", persian.Stem, none},
	{"polish", polish.Stem, none},
	{"porter", porter.Stem, isEnglishStopWord},
	{"portuguese", portuguese.Stem, stopwords.Portuguese},
	{"romanian", romanian.Stem, none},
	{"russian", russian.Stem, stopwords.Russian},
	{"serbian", serbian.Stem, none},
	{"sesotho", sesotho.Stem, stopwords.Sesotho},
	{"spanish", spanish.Stem, stopwords.Spanish},
	{"swedish", swedish.Stem, stopwords.Swedish},
	{"tamil", tamil.Stem, none},
	{"turkish", turkish.Stem, none},
	{"yiddish", yiddish.Stem, none},
}

// none is the stop list of the languages for which there is none.
func none(string) bool { return false }
