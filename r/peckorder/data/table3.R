# Made by r/generate.py from the Python functions: change those.

table3 <- utils::read.csv(text = ",a,b,c,d,e,f,g
a,0,1,1,4,2,6,10
b,0,0,4,5,0,10,4
c,0,2,0,4,65,8,3
d,2,3,2,0,0,80,10
e,1,0,0,0,0,6,7
f,1,8,5,0,2,0,6
g,4,0,1,8,5,3,0", row.names = 1, check.names = FALSE)
table3 <- as.matrix(table3)
